package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A launch that gives a stream the work of a wrapped launch. */
final class SimulatedLaunch implements Launch {
    private static final MemorySegment WITHOUT_ELEMENTS = MemorySegment.NULL;

    private final Launch wrapped;
    private final String name;
    private final LaunchArguments arguments;

    SimulatedLaunch(Launch wrapped, String name, LaunchArguments arguments) {
        this.wrapped = wrapped;
        this.name = name;
        this.arguments = arguments;
    }

    @Override
    public void run(LaunchContext context) {
        if (!(context.stream() instanceof KernelStream stream)) {
            throw new IllegalArgumentException(name + " is a kernel of devices of the testkit");
        }
        stream.submit(name, arguments, context, (in, out) -> wrapped.run(new Memory(in, out)));
    }

    @Override
    public void prewarm(Runnable checkCancelled) {
        wrapped.prewarm(checkCancelled);
    }

    @Override
    public long memoryBytes() {
        return wrapped.memoryBytes();
    }

    @Override
    public void trim() {
        wrapped.trim();
    }

    @Override
    public String text() {
        return wrapped.text();
    }

    /** The memory of the operation, as the wrapped launch sees it. */
    private final class Memory implements LaunchContext {
        private final List<MemorySegment> reads;
        private final List<MemorySegment> writes;
        private final Scratch scratch = new Scratch();

        Memory(List<MemorySegment> reads, List<MemorySegment> writes) {
            this.reads = reads;
            this.writes = writes;
        }

        @Override
        public MemorySegment input(int index) {
            int at = arguments.inputs().indexOf(index);
            if (at >= 0) {
                return reads.get(at);
            }
            int onHost = arguments.hostInputs().indexOf(index);
            return onHost >= 0 ? reads.get(arguments.inputs().size() + onHost) : WITHOUT_ELEMENTS;
        }

        @Override
        public MemorySegment output(int index) {
            int at = arguments.outputs().indexOf(index);
            return at >= 0 ? writes.get(at) : WITHOUT_ELEMENTS;
        }

        @Override
        public String[] inputStrings(int index) {
            throw new UnsupportedOperationException("a device has no strings");
        }

        @Override
        public String[] outputStrings(int index) {
            throw new UnsupportedOperationException("a device has no strings");
        }

        @Override
        public MemorySegment workspace() {
            if (!arguments.hasWorkspace()) {
                throw new IllegalStateException(name + " asked for no workspace");
            }
            return writes.getLast();
        }

        @Override
        public void parallelFor(long items, long grain, RangeTask task) {
            if (items > 0) {
                task.run(this, 0, items, scratch);
            }
        }

        @Override
        public Scratch scratch() {
            return scratch;
        }

        @Override
        public void checkCancelled() {
            // a device does what it was given
        }
    }
}
