package dev.millrace.session;

import dev.millrace.session.util.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Options of runs that travel in Reactor's context and apply to every run that is subscribed to upstream of it:
 * {@code service.answer().contextWrite(RunContext.within(Duration.ofMillis(50)))}.
 */
public final class RunContext {
    /** The key of an {@link Instant} after which nobody wants the answer. */
    public static final Object DEADLINE = RunContext.class.getName() + ".deadline";

    /** The key of an {@link Integer}, the priority: runs of higher priority are first in their session's queue. */
    public static final Object PRIORITY = RunContext.class.getName() + ".priority";

    private RunContext() {}

    /**
     * Returns a context writer that sets a deadline relative to the moment of writing, unless there is an earlier one.
     */
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

    /** Returns the options adjusted to the context: the earlier deadline, the context's priority. */
    public static RunOptions in(ContextView context, RunOptions options) {
        if (context.isEmpty()) {
            return options;
        }
        Instant deadline = options.deadline();
        if (context.getOrDefault(DEADLINE, null) instanceof Instant outer
                && (deadline == null || outer.isBefore(deadline))) {
            deadline = outer;
        }
        int priority = context.getOrDefault(PRIORITY, null) instanceof Integer wanted ? wanted : options.priority();
        if (priority == options.priority() && Objects.equals(deadline, options.deadline())) {
            return options;
        }
        return options.toBuilder().deadline(deadline).priority(priority).build();
    }
}
