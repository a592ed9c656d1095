"""What invented teams write in English. `{…}` is filled by `pages.py` and `issues.py`; the Japanese twin has the same names."""

from __future__ import annotations

FIRST = (
    "Amber Birch Cedar Copper Coral Crimson Dusk Ember Falcon Fjord Granite Harbor Heron Indigo Ivory Jasper Juniper Lantern"
    " Linden Maple Meadow Nimbus Onyx Osprey Pebble Quartz Raven Saffron Slate Tundra"
).split()
SECOND = (
    "Archive Balancer Billing Broker Cache Catalog Checkout Collector Console Courier Dispatcher Exporter Forecast Gateway "
    "Importer Index Ledger Mailer Meter Notifier Planner Portal Queue Registry Relay Scheduler Signer Store Tracker Vault"
).split()
SERVICE = "{first} {second}"
PEOPLE = (
    "Mara Lindqvist",
    "Tobias Renner",
    "Priya Natarajan",
    "Owen Gallagher",
    "Ines Carvalho",
    "Jonas Petrov",
    "Leila Haddad",
    "Samuel Okoro",
)
TEAMS = ("Payments", "Platform", "Search", "Warehouse", "Identity", "Mobile", "Data", "Support")
HOME = "{space} home"
CONTACTS = "Escalation contacts"
CONTACTS_BODY = "If nobody answers within {n} minutes, call the duty manager at extension {port}."
AREAS = {
    "runbook": "Runbooks",
    "design": "Designs",
    "incident": "Incident reports",
    "guide": "Onboarding",
    "meeting": "Meeting notes",
    "decision": "Decisions",
}
TEAM_PAGE = "{area} of the {team} team"
TITLES = {
    "runbook": "{service}: runbook",
    "design": "Design of {service}",
    "incident": "Outage of {service} ({code})",
    "guide": "Getting started with {service}",
    "meeting": "{service} weekly, number {number}",
    "decision": "Decision: storage for {service}",
    "news": "What is new in {service} {version}",
    "secret": "Salaries of the {service} group",
}
QUESTIONS = {
    "runbook": ("How long does {service} wait for running jobs before it restarts?", "{n} seconds"),
    "design": ("Which port does {service} use for replication?", "{port}"),
    "incident": ("What filled up before the outage {code}?", "{resource}"),
    "guide": ("Who approves access to {service}?", "{person}"),
    "meeting": ("Which limit did the {service} weekly number {number} agree on?", "{n} requests per second"),
    "decision": ("For how many days does {service} keep its records?", "{n} days"),
    "news": ("How many customers moved to {service} {version}?", "{port} customers"),
    "secret": ("What is the salary budget of the {service} group?", "{port} thousand euros"),
}
FACTS = {
    "runbook": "Before it restarts, {service} waits {n} seconds for jobs that are still running.",
    "design": "Replicas of {service} talk to each other on port {port}, which must be open between both data centres.",
    "incident": "The alarm {code} came after {resource} had filled up; writes failed for {n} minutes.",
    "guide": "Access to {service} is approved by {person}, usually on the same day.",
    "meeting": "We agreed to limit {service} to {n} requests per second for each tenant.",
    "decision": "Records of {service} are kept for {n} days and then removed by a nightly job.",
    "news": "By Friday {port} customers had moved to {service} {version}.",
    "secret": "The salary budget of the {service} group is {port} thousand euros for the year.",
}
RESOURCES = (
    "the certificate volume",
    "the message backlog",
    "the session table",
    "the export folder",
    "the retry queue",
    "the audit log disk",
)
INTRO = {
    "runbook": "This page tells who is on duty how to keep {service} running and what to do when it does not.",
    "design": "{service} takes requests of the {team} team and answers them from its own store. This page describes how.",
    "incident": "Users of the {team} team could not work with {service}. This is what happened, why, and what we change.",
    "guide": "New in the {team} team? These are the first steps with {service}, from access to the first change.",
    "meeting": "Notes of the regular meeting about {service} with guests from the {team} team.",
    "decision": "The {team} team compared three ways to store what {service} holds. This is what we chose and why.",
    "news": "The new version of {service} is out. Thanks to everybody in the {team} team who tested it.",
    "secret": "For managers only. Please do not pass this page on.",
}
HEADINGS = {
    "runbook": ("Restart", "Checks", "Alarms", "Known problems"),
    "design": ("Network", "Data model", "Interfaces", "Open questions"),
    "incident": ("Cause", "Timeline", "Effect", "Follow-up"),
    "guide": ("Access", "First change", "Tools", "Whom to ask"),
    "meeting": ("Agreed", "Discussed", "Tasks", "Next time"),
    "decision": ("Choice", "Options", "Consequences", "Review"),
    "news": ("Adoption", "Improvements", "Upgrade", "Thanks"),
    "secret": ("Budget", "Review", "Process", "Contact"),
}
FILLERS = (
    "Most requests are answered from memory; only a cache miss reaches the disk.",
    "The {team} team looks at the dashboard every morning and writes down what is unusual.",
    "A deployment takes place in two steps, so that half of the hosts always run the old version.",
    "Backups are tested on the first Monday of each month by restoring them to an empty machine.",
    "Settings are read at the start; a change needs a restart of one host after the other.",
    "Log lines carry a request id that other services pass on, which makes a search across them possible.",
    "Nothing here depends on the time zone of the host, because all times are stored in UTC.",
    "If the numbers look wrong, compare them with those of the day before and of the week before.",
)
WORDS = {
    "note": "Tell the {team} channel before you do this.",
    "warning": "Never stop both hosts at the same time: unsent messages would be lost.",
    "tip": "The option --dry-run shows what would be done.",
    "more": "Details for the curious",
    "head": ("Setting", "Value", "Remark"),
    "rows": (
        ("workers", "8", "one for each core"),
        ("batch size", "200", "smaller on test hosts"),
        ("log level", "info", "debug for an hour at most"),
    ),
    "span": "limits",
    "span_rows": "memory and open files are set by the service unit",
    "tasks": ("write the follow-up ticket", "tell the support desk", "check the alarm threshold"),
    "see": "See also",
    "see_part": "the restart procedure",
    "file": "The numbers are in the file",
    "picture": "Load of the last week",
    "diagram": "How the parts are connected",
    "nodes": ("Client", "Front end", "Worker pool", "Main store"),
    "ask": "Ask",
    "left": "For readers",
    "right": "For operators",
    "old": "previous state",
}
COMMENTS = (
    ("Is this still right after the move to the new hosts?", "Yes, I checked it yesterday."),
    ("The second step takes longer on weekends.", "Good point, I will add it."),
    ("We saw this again in the test environment.", "Then let us open a ticket."),
)
COMMENT_FACT = "In practice we set the pause between two tries to {n} minutes for {service}."
CSV = "host,role,cores\n{slug}-01,primary,{n}\n{slug}-02,standby,{n}\n"
TEXT_FILE = (
    "Checklist for {service}\n\n1. Announce the window.\n2. Set the drain flag to {port}.\n3. Wait for the queue to be empty.\n"
)
MARKDOWN_FILE = (
    "# Release notes of {service}\n\n## Fixed\n\n- The importer keeps {n} lines of context.\n- Port {port} is closed after use.\n"
)

ISSUE_TITLES = {
    "Bug": "{service} fails with {code} when {event}",
    "Task": "Raise the {setting} of {service}",
    "Story": "As an operator I can see the {setting} of {service}",
    "Incident": "{service} not reachable since {event}",
}
EVENTS = (
    "two exports overlap",
    "a session has expired",
    "the disk is almost full",
    "a name has more than 64 characters",
    "the clock goes back",
)
SETTINGS = ("batch limit", "session timeout", "upload size", "retry count", "pool size")
ISSUE_QUESTIONS = {
    "Bug": ("Which value of a setting avoids the error {code} of {service}?", "{n}"),
    "Task": ("To which value should the {setting} of {service} be raised?", "{n}"),
    "Story": ("After how many minutes does the {setting} of {service} turn red?", "{n} minutes"),
    "Incident": ("How many users did the {service} incident {code} affect?", "{port} users"),
}
ISSUE_FACTS = {
    "Bug": "The error {code} goes away when the {setting} of {service} is set to {n}.",
    "Task": "The {setting} of {service} should be raised to {n}, which the last load test has shown to be safe.",
    "Story": "The value turns red when the {setting} of {service} was exceeded for {n} minutes.",
    "Incident": "{port} users were affected by the {service} incident {code} before the standby host took over.",
}
ISSUE_WORDS = {
    "steps": "Steps to reproduce",
    "step_list": ("open the console of {service}", "start the nightly job by hand", "wait until {event}"),
    "below": "with an account that has no administrator rights",
    "expected": "Expected",
    "expected_text": "The job ends and writes its report.",
    "actual": "What happens",
    "found": "What we know",
    "log": "{code} {service}: request refused after {n} tries\n    at worker.run (worker.py:{port})",
    "panel": "The customer is waiting for this; see the agreed response time.",
    "head": ("Host", "Version", "Result"),
    "table": (("alpha", "4.2", "fails"), ("beta", "4.1", "works")),
    "done": (("add a test", True), ("tell the customer", False)),
    "wiki": "runbook",
    "cause": "A pool of fixed size was shared by two jobs.",
    "comments": (
        "I can see it on the test host too.",
        "Fixed on the branch, please review.",
        "Works for me after the update to 4.2.",
    ),
}
