package dev.millrace.text.template;

/**
 * The value of what is not there. It prints as nothing and is false; other uses fail.
 *
 * @param what says what is not there
 */
record Undefined(String what) {
    static Undefined variable(String name) {
        return new Undefined("'" + name + "' is undefined");
    }

    Failure failure() {
        return new Failure(what);
    }
}
