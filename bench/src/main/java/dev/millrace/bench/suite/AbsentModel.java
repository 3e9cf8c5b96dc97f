package dev.millrace.bench.suite;

/** A case whose model is not on this machine; the message says what to do about it. */
final class AbsentModel extends Exception {
    private static final long serialVersionUID = 1;

    AbsentModel(String reason) {
        super(reason);
    }
}
