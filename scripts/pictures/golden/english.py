"""The English pictures of the golden set, and what is asked of them."""

from __future__ import annotations

from pictures.golden.truths import Bars, Case, Flow, Grid, Lines, Window

CASES: tuple[Case, ...] = (
    Case(
        "01",
        "Refunds",
        "en",
        Bars("Refunds by city, 2025", ("Osaka", "Lisbon", "Nairobi", "Quito", "Turin"), (42, 88, 35, 61, 17), "refunds"),
        (
            ("Which city had the most refunds in 2025?", r"highest: Lisbon|Lisbon has the most"),
            ("Bar chart of refunds by city", r"bar chart.*refunds by city"),
            ("Where were the fewest refunds?", r"lowest: Turin|Turin the fewest"),
        ),
        ("Osaka", "Lisbon", "Nairobi", "Quito", "Turin"),
    ),
    Case(
        "02",
        "Energy use",
        "en",
        Lines(
            "Energy use of the halls",
            ("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
            (("Hall A", (310, 290, 260, 210, 180, 150)), ("Hall B", (120, 150, 170, 230, 260, 330))),
            "MWh",
        ),
        (
            ("In which month did Hall A use the most energy?", r"Hall A.*(highest|peaks).{0,6}Jan"),
            ("line chart of energy use, Hall A and Hall B", r"line chart.*energy use of the halls"),
            ("Did the energy use of Hall B go up from January to June?", r"Hall B.*(from Jan.*to Jun|rises)"),
        ),
        ("Hall A", "Hall B", "January", "June", "MWh"),
    ),
    Case(
        "03",
        "Order approval",
        "en",
        Flow(
            "order approval",
            (
                ("Receive order", 0, 0),
                ("Check budget", 0, 1),
                ("Approved?", 0, 2),
                ("Reserve goods", 0, 3),
                ("Pack parcel", 0, 4),
                ("Notify buyer", 1, 2),
            ),
            ((0, 1, ""), (1, 2, ""), (2, 3, "yes"), (3, 4, ""), (2, 5, "no")),
        ),
        (
            (
                "Flow chart of the order approval: what happens after the goods are reserved?",
                r"Reserve goods\W{1,20}(comes\W+)?Pack parcel",
            ),
            ("Which step of the flow chart follows Check budget?", r"Check budget\W{1,20}(comes\W+)?Approved"),
            ("Where does the flow lead when an order is not approved?", r"Approved\?.*\bno\b.*Notify buyer"),
        ),
        ("Receive order", "Check budget", "Reserve goods", "Pack parcel", "Notify buyer"),
    ),
    Case(
        "04",
        "Joining the company",
        "en",
        Flow(
            "joining",
            (
                ("Sign contract", 0, 0),
                ("Create account", 1, 0),
                ("Hand out laptop", 2, 0),
                ("First training", 2, 1),
                ("Meet mentor", 1, 1),
            ),
            ((0, 1, ""), (1, 2, ""), (2, 3, ""), (3, 4, "")),
        ),
        (
            (
                "Steps from signing the contract to meeting the mentor, in order",
                r"Sign contract\W+Create account|Sign contract.*Create account.*Hand out laptop",
            ),
            ("What comes directly after Create account in the flow chart?", r"Create account\W{1,20}(comes\W+)?Hand out laptop"),
        ),
        ("Sign contract", "Create account", "Hand out laptop", "First training", "Meet mentor"),
    ),
    Case(
        "05",
        "Night duty",
        "en",
        Grid(
            "Duty at night",
            (
                ("Night", "First line", "Second line"),
                ("Monday", "Okafor", "Lindqvist"),
                ("Tuesday", "Marsh", "Okafor"),
                ("Wednesday", "Tanaka", "Marsh"),
                ("Thursday", "Lindqvist", "Tanaka"),
            ),
        ),
        (
            ("Who is the first line on Wednesday night?", r"Wednesday.*First line\W+Tanaka"),
            ("Table of night duty with first line and second line", r"table.*Night, First line"),
            ("On which night is Lindqvist the first line?", r"Thursday.*First line\W+Lindqvist"),
        ),
        ("Okafor", "Lindqvist", "Marsh", "Tanaka", "first line", "second line"),
    ),
    Case(
        "06",
        "Spare parts",
        "en",
        Grid(
            "Spare parts of the K-20 pump",
            (
                ("Part", "Number", "Price", "Stock"),
                ("Gasket", "K20-114", "12.50", "340"),
                ("Impeller", "K20-201", "188.00", "14"),
                ("Seal ring", "K20-118", "9.80", "512"),
                ("Shaft", "K20-300", "260.00", "6"),
            ),
        ),
        (
            ("What does a gasket for the K-20 pump cost?", r"Gasket.*Price\W+12\.50"),
            ("Table: price and stock of each spare part", r"table.*Price(,| and) Stock"),
            ("How many impellers are in stock?", r"Impeller.*Stock\W+14\b"),
        ),
        ("Gasket", "Impeller", "Seal ring", "Shaft", "K-20 pump"),
    ),
    Case(
        "07",
        "Leases",
        "en",
        Window("Kestrel Console", "The lease could not be renewed (E1045).", (), ("Retry", "Cancel", "Details")),
        (
            ("What does the error message about the lease look like?", r"lease could not be renewed"),
            ("Screenshot of the lease error", r"screenshot"),
            ("Which buttons does the lease error dialog have?", r"Buttons.*Retry"),
        ),
        ("Kestrel Console", "lease", "E1045", "renew"),
    ),
    Case(
        "08",
        "Exports",
        "en",
        Window(
            "Export settings",
            "",
            (("File format", "Parquet"), ("Compression", "zstd"), ("Rows per file", "500000"), ("Time zone", "UTC")),
            ("Export", "Cancel"),
        ),
        (
            ("Screenshot of the export settings window", r"screenshot.*Export settings"),
            ("Which buttons does the export settings window show?", r"Buttons.*Cancel"),
        ),
        ("file format", "compression", "rows per file", "time zone"),
    ),
    Case(
        "09",
        "Queues",
        "en",
        Grid(
            "Kestrel admin console - fjord",
            (
                ("Queue", "Waiting", "Oldest job", "Workers", "State"),
                ("invoices", "18,204", "6 min 12 s", "24", "active"),
                ("parcel-labels", "311", "4 s", "8", "active"),
                ("fraud-check", "2,977", "58 s", "16", "active"),
                ("newsletter", "640,118", "3 h 40 min", "2", "paused"),
                ("image-resize", "0", "-", "12", "active"),
            ),
        ),
        (
            ("How many workers does the queue fraud-check have?", r"fraud-check.*Workers\W+16"),
            ("Which queue is paused in the admin console?", r"newsletter.*State\W+paused"),
        ),
        ("invoices", "parcel-labels", "fraud-check", "newsletter", "image-resize"),
        file="screenshots/admin-console-queues.png",
    ),
)
ABOUT: tuple[str, ...] = (
    "{topic} are reported to the board at the end of each quarter. The controller collects the figures and checks them twice.",
    "Questions about {topic} go to the service desk. For {a} ask the local office first, for {b} the head office.",
    "The rules for {topic} were last changed in spring. {a} and {b} have followed the new rules since then.",
    "A training about {topic} takes place each month. Bring examples from {b} or {c}; the room is on floor 3.",
    "History of {topic}: until 2023 they were kept on paper, and {c} was the last to change to the new system.",
    "Who may see {topic}? Everybody in {a}, {b} and {c} may read them; only leads may change them.",
    "In the minutes of the last meeting {topic} were on the agenda again, with {d} as the main subject. Nothing was decided.",
    "Mistakes with {topic} are corrected within five days. {d} and {a} have a checklist of their own.",
    "The archive keeps {topic} for ten years. Boxes for {b} stand in aisle 4, those for {d} in aisle 5.",
    "The glossary explains the words that are used for {topic}: see the entries {a}, {c} and {d}.",
    "A new tool for {topic} is being tried out. {c} begins, {a} and {d} follow in autumn if all goes well.",
    "Contacts for {topic}: the list with names for {a}, {b}, {c} and {d} hangs beside the door of the office.",
)
"""Notes of a topic that name what its picture shows, and answer nothing that is asked of it."""
LEAD = "The state at the end of the quarter:"
