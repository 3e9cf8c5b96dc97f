package dev.millrace.session;

/** Which threads are calling a user's code right now, in the midst of a run. */
final class Callbacks {
    private final ThreadLocal<Boolean> inside = ThreadLocal.withInitial(() -> false);

    /** Whether this is the outermost call, which {@link #leave} is to be told. */
    boolean enter() {
        boolean outermost = !inside.get();
        if (outermost) {
            inside.set(true);
        }
        return outermost;
    }

    void leave(boolean outermost) {
        if (outermost) {
            inside.remove();
        }
    }

    /** Whether a run has called the code that asks. */
    boolean isInside() {
        return inside.get();
    }
}
