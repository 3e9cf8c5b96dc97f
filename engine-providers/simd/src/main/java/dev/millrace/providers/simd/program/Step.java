package dev.millrace.providers.simd.program;

import dev.millrace.scheduler.kernel.Work;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One piece of work of a program, and all that is said about it. */
public final class Step {
    private final Supplier<String> kernel;
    private final String node;
    private final List<View> reads;
    private final List<View> writes;
    private final long work;
    private final long scratchBytes;
    private final boolean repeats;
    private final boolean practises;
    private final Function<Memory, Call> preparation;
    private @Nullable Storage scratch;

    private Step(Builder from, Function<Memory, Call> preparation) {
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

    /** @param kernel what does the work, for a reader */
    public static Builder of(String kernel, String node) {
        return of(() -> kernel, node);
    }

    /** @param kernel tells what does the work, if a reader asks: to spell out shapes and expressions takes time */
    public static Builder of(Supplier<String> kernel, String node) {
        return new Builder(kernel, node);
    }

    /** Gathers what is said about a step. */
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

        /** Multiplications and additions. */
        public Builder work(long operations) {
            work = operations;
            return this;
        }

        public Builder scratch(long bytes) {
            scratchBytes = bytes;
            return this;
        }

        /**
         * Says that on the same memory a run calls the same kernels with the same arguments every time, whatever the
         * data are, and that Java does nothing beside that.
         */
        public Builder repeating() {
            return repeating(true);
        }

        public Builder repeating(boolean always) {
            repeats = always;
            return this;
        }

        /**
         * Says that Java can do its part before any run, on data that mean nothing and without a call of a kernel: it reads
         * numbers at most, any of which it takes, and writes where nobody reads before a run has written.
         */
        public Builder practising() {
            practises = true;
            return this;
        }

        /** @param preparation makes the call for the memory of a run */
        public Step calling(Function<Memory, Call> preparation) {
            return new Step(this, preparation);
        }
    }

    public String kernel() {
        return kernel.get();
    }

    /** The node that it was made for. */
    public String node() {
        return node;
    }

    public List<View> reads() {
        return reads;
    }

    public List<View> writes() {
        return writes;
    }

    /** All that it reads or writes. */
    List<View> views() {
        return Stream.concat(reads.stream(), writes.stream()).toList();
    }

    public long work() {
        return work;
    }

    /** Bytes that are read and written at least. */
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

    /** Whether the calls of one run can be made again in place of another one. */
    boolean repeats() {
        return repeats;
    }

    /** Whether what a first run makes for itself and later ones can be made before. */
    boolean practises() {
        return practises;
    }

    /** What it is for those who measure. */
    Work asWork() {
        return new Work(kernel(), node, work, bytes());
    }

    Call prepare(Memory memory) {
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
