package ai.onnxruntime;

import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.RunOptions;
import java.util.LinkedHashMap;
import java.util.Map;

/** The options of a run. */
final class RunSettings {
    OrtLoggingLevel logLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE;
    int verbosity;
    String tag = "";

    private final Map<String, String> config = new LinkedHashMap<>();

    private Cancellation cancellation = new Cancellation();
    private boolean closed;

    /** Returns this; throws if the options are closed. */
    synchronized RunSettings open() {
        if (closed) {
            throw new IllegalStateException("These RunOptions are closed");
        }
        return this;
    }

    /** Adds an option of the run for providers. */
    synchronized void config(String key, String value) {
        config.put(key, value);
    }

    /** Passes what the engine has a counterpart of. */
    synchronized void copyTo(RunOptions.Builder options) {
        options.cancellation(cancellation).tag(tag);
        config.forEach(options::config);
    }

    synchronized void terminate(boolean terminate) {
        if (terminate) {
            cancellation.cancel();
        } else if (cancellation.isCancelled()) {
            cancellation = new Cancellation();
        }
    }

    synchronized void close() {
        open();
        closed = true;
    }
}
