package dev.millrace.session.util;

import org.jspecify.annotations.Nullable;

/** Which threads are calling a user's code right now, in the midst of a run. */
public final class Callbacks {
    /** One for all: a thread keeps its place in it, which costs nothing to look up. */
    private static final ThreadLocal<@Nullable Call> INNERMOST = new ThreadLocal<>();

    /** A call that a thread is in the midst of, and the one around it. */
    private record Call(Callbacks of, @Nullable Call around) {}

    /** Whether this is the outermost call, which {@link #leave} is to be told. */
    public boolean enter() {
        boolean outermost = !isInside();
        if (outermost) {
            INNERMOST.set(new Call(this, INNERMOST.get()));
        }
        return outermost;
    }

    public void leave(boolean outermost) {
        if (outermost) {
            Call innermost = INNERMOST.get();
            INNERMOST.set(innermost == null ? null : innermost.around);
        }
    }

    /** Whether a run has called the code that asks. */
    public boolean isInside() {
        for (Call call = INNERMOST.get(); call != null; call = call.around) {
            if (call.of == this) {
                return true;
            }
        }
        return false;
    }
}
