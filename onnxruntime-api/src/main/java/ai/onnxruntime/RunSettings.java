package ai.onnxruntime;

import dev.millrace.scheduler.Cancellation;

/** The options of a run. */
final class RunSettings {
    OrtLoggingLevel logLevel = OrtLoggingLevel.ORT_LOGGING_LEVEL_VERBOSE;
    int verbosity;
    String tag = "";

    private Cancellation cancellation = new Cancellation();
    private boolean closed;

    /** Returns this; throws if the options are closed. */
    synchronized RunSettings open() {
        if (closed) {
            throw new IllegalStateException("These RunOptions are closed");
        }
        return this;
    }

    synchronized Cancellation cancellation() {
        return cancellation;
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
