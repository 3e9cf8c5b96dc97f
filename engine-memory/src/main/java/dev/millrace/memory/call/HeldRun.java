package dev.millrace.memory.call;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Java code that reaches memory by its address, run while the arenas of that memory cannot be closed: the JDK has no other
 * way to hold them than a native call that they are given to, which here calls back at once.
 */
public final class HeldRun {
    private static final ThreadLocal<@Nullable HeldRun> CURRENT = new ThreadLocal<>();

    private final Runnable task;
    private @Nullable Throwable failure;

    private HeldRun(Runnable task) {
        this.task = task;
    }

    /** There where somebody holds something: most processes never do. */
    private static final class Stub {
        static final @Nullable MemorySegment ENTER = enter();

        private static @Nullable MemorySegment enter() {
            try {
                FunctionDescriptor signature = Calls.signature();
                MethodHandle enter =
                        MethodHandles.lookup().findStatic(HeldRun.class, "enter", MethodType.methodType(long.class));
                MethodHandle stub = MethodHandles.dropArguments(
                        enter, 0, signature.toMethodType().parameterList());
                return Linker.nativeLinker().upcallStub(stub, signature, Arena.global());
            } catch (UnsupportedOperationException | LinkageError _) {
                // a JVM without a linker
                return null;
            } catch (ReflectiveOperationException impossible) {
                throw new LinkageError(impossible.toString(), impossible);
            }
        }
    }

    /**
     * Runs a task on this thread. In a JVM without a linker nothing is held meanwhile.
     *
     * @param held {@value Calls#MOST_HELD} segments, {@link MemorySegment#NULL} where there are fewer
     * @throws IllegalStateException if the arena of one is closed already
     */
    public static void of(MemorySegment[] held, Runnable task) {
        MemorySegment enter = Stub.ENTER;
        if (enter == null) {
            task.run();
            return;
        }
        HeldRun around = CURRENT.get();
        var run = new HeldRun(task);
        CURRENT.set(run);
        try {
            Calls.callHolding(enter, held, 0, 0, 0, 0, 0, 0);
        } finally {
            if (around == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(around);
            }
        }
        run.end();
    }

    /** Nothing may be thrown through native frames. */
    @SuppressWarnings("UnusedMethod") // native code calls it
    private static long enter() {
        HeldRun run = CURRENT.get();
        if (run != null) {
            try {
                run.task.run();
            } catch (Throwable thrown) {
                run.failure = thrown;
            }
        }
        return 0;
    }

    private void end() {
        switch (failure) {
            case null -> {}
            case RuntimeException thrown -> throw thrown;
            case Error thrown -> throw thrown;
            default -> throw new AssertionError(failure);
        }
    }
}
