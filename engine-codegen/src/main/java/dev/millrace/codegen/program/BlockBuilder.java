package dev.millrace.codegen.program;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The part of a program builder for variables and blocks: loops and conditions. */
public abstract sealed class BlockBuilder permits ScalarBuilder {
    /**
     * The largest number of steps, ten times that of the largest kernel. A key from a file must not exhaust the memory.
     */
    public static final int MAX_STEPS = 1 << 15;

    final Target target;
    private final String name;
    private final List<ScalarVar> parameters = new ArrayList<>();
    private final Deque<List<Step>> open = new ArrayDeque<>();
    private int variables;
    private int steps;

    BlockBuilder(String name, Target target) {
        this.name = name;
        this.target = target;
        open.push(new ArrayList<>());
    }

    public final Target target() {
        return target;
    }

    /** Adds a parameter, the next argument of a call. */
    public final ScalarVar parameter(String parameterName) {
        if (parameters.size() == Program.MAX_PARAMETERS) {
            throw outOfPlace("has more than " + Program.MAX_PARAMETERS + " parameters");
        }
        ScalarVar parameter = scalar(parameterName);
        parameters.add(parameter);
        return parameter;
    }

    /** Creates a vector variable that is not assigned yet. */
    public final VectorVar vector(String variableName) {
        return new VectorVar(variables++, variableName);
    }

    /** Creates a scalar variable that is not assigned yet. */
    public final ScalarVar scalar(String variableName) {
        return new ScalarVar(variables++, variableName);
    }

    final MaskVar mask() {
        return new MaskVar(variables++, "m");
    }

    final void add(Step step) {
        if (++steps > MAX_STEPS) {
            throw wrong("has more than " + MAX_STEPS + " steps: its parameters are too large");
        }
        current().add(step);
    }

    /** Returns an exception for wrong arguments of a builder method, with the name of the kernel. */
    final IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("kernel " + name + " " + what);
    }

    private IllegalStateException outOfPlace(String what) {
        return new IllegalStateException("kernel " + name + " " + what);
    }

    /**
     * Opens a loop: the steps that are added until the result is closed repeat while {@code counter >= step}, which
     * subtracts {@code step} each time; the remainder stays in the counter.
     */
    public final Body loop(ScalarVar counter, int step) {
        if (step <= 0) {
            throw wrong("has a loop by " + step);
        }
        return new Body(counter, step, null);
    }

    /** Opens a condition: the steps that are added until the result is closed run only if the value is not 0. */
    public final Body ifNotZero(ScalarVar value) {
        return new Body(value, 0, null);
    }

    /** Opens the other case of the {@link #ifNotZero} that was closed just before, until the result is closed. */
    public final Body otherwise() {
        List<Step> steps = current();
        if (steps.isEmpty()
                || !(steps.getLast() instanceof Step.If condition)
                || !condition.otherwise().isEmpty()) {
            throw outOfPlace("has an otherwise without its condition");
        }
        steps.removeLast();
        return new Body(condition.value(), 0, condition.then());
    }

    private List<Step> current() {
        return Objects.requireNonNull(open.peek());
    }

    /** An open block of a program; steps that are added until it is closed belong to it. */
    public final class Body implements AutoCloseable {
        private final ScalarVar scalar;
        private final int step;
        private final @Nullable List<Step> then;

        private Body(ScalarVar scalar, int step, @Nullable List<Step> then) {
            this.scalar = scalar;
            this.step = step;
            this.then = then;
            open.push(new ArrayList<>());
        }

        @Override
        public void close() {
            List<Step> steps = List.copyOf(open.pop());
            if (step > 0) {
                add(new Step.Loop(scalar, step, steps));
            } else {
                add(then == null ? new Step.If(scalar, steps, List.of()) : new Step.If(scalar, then, steps));
            }
        }
    }

    /**
     * Builds the program.
     *
     * @throws IllegalStateException if it may read a variable that was not written, or a block is still open
     */
    public final Program build() {
        if (open.size() > 1) {
            throw outOfPlace("is built inside of a loop or a condition");
        }
        Program program = new Program(name, target, List.copyOf(parameters), variables, List.copyOf(current()));
        ProgramCheck.check(program);
        return program;
    }
}
