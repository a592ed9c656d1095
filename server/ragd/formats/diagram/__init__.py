"""Files that are a drawing: draw.io, Excalidraw, BPMN, Visio."""
