package dev.millrace.text.template;

/** An error in an operation on values. The evaluator adds the place and makes it an exception of the engine. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String what;

    Failure(String what) {
        super(what, null, false, false);
        this.what = what;
    }

    String what() {
        return what;
    }
}
