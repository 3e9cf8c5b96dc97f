package dev.millrace.session;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * What travels to runs in Reactor's context, for all that is subscribed to below it:
 * {@code service.answer().contextWrite(RunContext.within(Duration.ofMillis(50)))}.
 */
public final class RunContext {
    /** The key of an {@link Instant} after which nobody wants the answer. */
    public static final Object DEADLINE = RunContext.class.getName() + ".deadline";

    /** The key of an {@link Integer}: runs of higher priority are first in their session's queue. */
    public static final Object PRIORITY = RunContext.class.getName() + ".priority";

    private RunContext() {}

    /** A deadline so far from when the context is written, unless there is an earlier one. */
    public static Function<Context, Context> within(Duration time) {
        return context -> {
            Instant mine = Deadline.after(time);
            Instant outer = context.getOrDefault(DEADLINE, mine);
            return context.put(DEADLINE, outer != null && outer.isBefore(mine) ? outer : mine);
        };
    }

    public static Function<Context, Context> priority(int value) {
        return context -> context.put(PRIORITY, value);
    }

    /** The options as the context wants them: the earlier deadline, the context's priority. */
    static RunOptions in(ContextView context, RunOptions how) {
        RunOptions result = how;
        if (context.isEmpty()) {
            return result;
        }
        if (context.getOrDefault(DEADLINE, null) instanceof Instant outer
                && (how.deadline() == null || outer.isBefore(how.deadline()))) {
            result = result.deadline(outer);
        }
        if (context.getOrDefault(PRIORITY, null) instanceof Integer priority) {
            result = result.priority(priority);
        }
        return result;
    }
}
