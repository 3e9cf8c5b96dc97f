package dev.millrace.providers.simd.program;

import dev.millrace.scheduler.kernel.Work;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One step of a program: a kernel call with the views that it reads and writes, and properties that the program uses.
 */
public final class ProgramStep {
    private final Supplier<String> kernel;
    private final String node;
    private final List<View> reads;
    private final List<View> writes;
    private final long work;
    private final long scratchBytes;
    private final boolean repeats;
    private final boolean practises;
    private final Function<RunMemory, Call> preparation;
    private @Nullable Storage scratch;

    private ProgramStep(Builder from, Function<RunMemory, Call> preparation) {
        kernel = from.kernel;
        node = from.node;
        reads = List.copyOf(from.reads);
        writes = List.copyOf(from.writes);
        work = from.work;
        scratchBytes = from.scratchBytes;
        repeats = from.repeats;
        practises = from.practises;
        this.preparation = preparation;
    }

    /** @param kernel a text that names the kernel for readers */
    public static Builder of(String kernel, String node) {
        return of(() -> kernel, node);
    }

    /**
     * @param kernel makes the text that names the kernel for readers, when it is asked for: to print shapes and
     *     expressions takes time
     */
    public static Builder of(Supplier<String> kernel, String node) {
        return new Builder(kernel, node);
    }

    /** A builder of a step. */
    public static final class Builder {
        private final Supplier<String> kernel;
        private final String node;
        private List<View> reads = List.of();
        private List<View> writes = List.of();
        private long work;
        private long scratchBytes;
        private boolean repeats;
        private boolean practises;

        private Builder(Supplier<String> kernel, String node) {
            this.kernel = kernel;
            this.node = node;
        }

        public Builder reading(View... views) {
            reads = List.of(views);
            return this;
        }

        public Builder reading(List<View> views) {
            reads = views;
            return this;
        }

        public Builder writing(View... views) {
            writes = List.of(views);
            return this;
        }

        public Builder writing(List<View> views) {
            writes = views;
            return this;
        }

        /** Sets the number of multiplications and additions. */
        public Builder work(long operations) {
            work = operations;
            return this;
        }

        public Builder scratch(long bytes) {
            scratchBytes = bytes;
            return this;
        }

        /**
         * Declares that on the same memory every run calls the same kernels with the same arguments, whatever the data,
         * and that Java does nothing beside that.
         */
        public Builder repeating() {
            return repeating(true);
        }

        public Builder repeating(boolean always) {
            repeats = always;
            return this;
        }

        /**
         * Declares that the Java part can run before any run, on meaningless data and without a call of a kernel: it
         * only reads numbers, any of which it accepts, and writes where no step reads before a run has written.
         */
        public Builder practising() {
            practises = true;
            return this;
        }

        /** @param preparation creates the call for the memory of a run */
        public ProgramStep calling(Function<RunMemory, Call> preparation) {
            return new ProgramStep(this, preparation);
        }
    }

    public String kernel() {
        return kernel.get();
    }

    /** The name of the node that the step was created for. */
    public String node() {
        return node;
    }

    public List<View> reads() {
        return reads;
    }

    public List<View> writes() {
        return writes;
    }

    /** All views that the step reads or writes. */
    List<View> views() {
        return Stream.concat(reads.stream(), writes.stream()).toList();
    }

    public long work() {
        return work;
    }

    /** The number of bytes that are read and written at least. */
    public long bytes() {
        long bytes = 0;
        for (View view : reads) {
            bytes += view.type().bytes(view.elements());
        }
        for (View view : writes) {
            bytes += view.type().bytes(view.elements());
        }
        return bytes;
    }

    /** Whether the calls of one run can be replayed in another. */
    boolean repeats() {
        return repeats;
    }

    /** Whether the preparations of a first run, for itself and later ones, can be made before it. */
    boolean practises() {
        return practises;
    }

    /** Returns the step as a unit of work for profiles. */
    Work asWork() {
        return new Work(kernel(), node, work, bytes());
    }

    Call prepare(RunMemory memory) {
        return preparation.apply(memory);
    }

    /** The storage of its scratch memory, or null where it has none. */
    @Nullable
    Storage scratchStorage() {
        if (scratch == null && scratchBytes > 0) {
            scratch = Storage.block(scratchBytes);
        }
        return scratch;
    }
}
