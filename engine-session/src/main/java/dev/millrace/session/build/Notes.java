package dev.millrace.session.build;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import java.util.ArrayList;
import java.util.List;

/** What its author should know of a model that runs all the same: kept for the session's report, and logged. */
public final class Notes {
    /** Looked for when there is something to log: to find it takes as long as to open a small model. */
    private static final class Log {
        static final System.Logger LOG = System.getLogger(Notes.class.getName());
    }

    private final List<String> all = new ArrayList<>();

    public void add(String note) {
        addAll(List.of(note));
    }

    /** Adds notes of one kind; the log gets the first and how many there are more. */
    public void addAll(List<String> alike) {
        if (!alike.isEmpty()) {
            alike.forEach(note -> all.add(PlainText.line(note)));
            int more = alike.size() - 1;
            Log.LOG.log(
                    System.Logger.Level.WARNING,
                    PlainText.line(alike.getFirst()) + (more == 0 ? "" : " (and " + more + " more)"));
        }
    }

    /** Adds a note that the log has from elsewhere. */
    public void addUnlogged(String note) {
        all.add(note);
    }

    /** Throws (INVALID_GRAPH) where there is a note, and names them all. */
    public void refuse() {
        if (!all.isEmpty()) {
            throw EngineException.invalidGraph("strictly, " + String.join("; ", all));
        }
    }

    public List<String> all() {
        return List.copyOf(all);
    }
}
