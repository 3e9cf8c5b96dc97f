package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import java.util.ArrayList;
import java.util.List;

/** Notes for the author of a model that runs in spite of some oddity: kept for the session's report, and logged. */
public final class Notes {
    /**
     * Holds the logger, which is looked up only when there is something to log: finding it takes
     * as long as opening a small model.
     */
    private static final class Log {
        static final System.Logger LOG = System.getLogger(Notes.class.getName());
    }

    private final List<String> all = new ArrayList<>();

    public void add(String note) {
        addAll(List.of(note));
    }

    /** Adds notes of one kind; the log gets the first one and the number of the others. */
    public void addAll(List<String> alike) {
        if (!alike.isEmpty()) {
            alike.forEach(note -> all.add(PlainText.line(note)));
            int more = alike.size() - 1;
            Log.LOG.log(
                    System.Logger.Level.WARNING,
                    PlainText.line(alike.getFirst()) + (more == 0 ? "" : " (and " + more + " more)"));
        }
    }

    /** Adds a note that has been logged elsewhere. */
    public void addUnlogged(String note) {
        all.add(note);
    }

    /** Throws (INVALID_GRAPH) if there are notes, and names them all. */
    public void refuse() {
        if (!all.isEmpty()) {
            throw EngineException.invalidGraph("strictly, " + String.join("; ", all));
        }
    }

    public List<String> all() {
        return List.copyOf(all);
    }
}
