package dev.millrace.text;

import java.util.List;
import java.util.function.Predicate;

/**
 * Separates the text of an answer from the calls of tools behind it, while the answer is generated. Text that may begin a call
 * is held back. For one answer; not thread-safe.
 */
public final class ToolCallSplitter {
    private enum State {
        /** Only white space has come. */
        START,
        TEXT,
        CALL
    }

    private final Predicate<List<ToolCall>> accepted;
    private final StopTexts marks = new StopTexts(ToolCallParser.marks());
    /** White space at the start, or the text that may consist of calls. */
    private final StringBuilder held = new StringBuilder();

    private State state = State.START;
    private List<ToolCall> calls = List.of();

    /** Creates a splitter that accepts calls of any tools. */
    public ToolCallSplitter() {
        this(_ -> true);
    }

    /** @param accepted whether calls are those of known tools; if not, they are a text */
    public ToolCallSplitter(Predicate<List<ToolCall>> accepted) {
        this.accepted = ApiBoundary.requireArgument(accepted, "accepted");
    }

    /** Adds a piece of the answer, and returns the text that is not part of a call. */
    public String add(String piece) {
        ApiBoundary.requireArgument(piece, "piece");
        if (state == State.TEXT) {
            return text(piece);
        }
        held.append(piece);
        String start = held.toString().stripLeading();
        if (state == State.CALL || start.isEmpty()) {
            return "";
        }
        if (start.startsWith("{") || start.startsWith("[")) {
            state = State.CALL;
            return "";
        }
        state = State.TEXT;
        String all = held.toString();
        held.setLength(0);
        return text(all);
    }

    private String text(String piece) {
        String text = marks.add(piece);
        if (marks.isFound()) {
            state = State.CALL;
            held.append(marks.rest());
        }
        return text;
    }

    /** Ends the answer, and returns the text that was held back and is no call. */
    public String end() {
        if (state == State.TEXT) {
            return marks.end();
        }
        List<ToolCall> found = ToolCall.in(held.toString());
        if (found.isEmpty() || !accepted.test(found)) {
            return held.toString();
        }
        calls = found;
        return "";
    }

    /** The calls of tools, after the end; empty if the answer is a text. */
    public List<ToolCall> calls() {
        return calls;
    }
}
