package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.StepVisitor;
import dev.millrace.codegen.program.VectorVar;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of a program. A test may watch the steps. */
class Interpreter implements StepVisitor {
    private final Program program;
    private final SegmentMemory memory;
    private final int lanes;
    private final int[][] vectors;
    private final boolean[][] masks;
    private final long[] scalars;

    Interpreter(Program program, SegmentMemory memory) {
        this.program = program;
        this.memory = memory;
        lanes = program.target().lanes();
        vectors = new int[program.variables()][];
        masks = new boolean[program.variables()][];
        scalars = new long[program.variables()];
    }

    void run(long... arguments) {
        for (int i = 0; i < program.parameters().size(); i++) {
            scalars[program.parameters().get(i).id()] = arguments[i];
        }
        all(program.steps());
    }

    private void all(List<Step> steps) {
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).accept(this);
        }
    }

    private int[] read(ProgramValue value) {
        if (value instanceof VectorVar variable) {
            return vectors[variable.id()];
        }
        int[] all = new int[lanes];
        Arrays.fill(all, ((Constant) value).bits());
        return all;
    }

    long pointer(Address address) {
        long index = address.index() == null ? 0 : scalars[address.index().id()];
        return scalars[address.base().id()] + index * address.scale() + address.displacement();
    }

    private boolean included(@Nullable MaskVar mask, int lane) {
        return mask == null || masks[mask.id()][lane];
    }

    @Override
    public void unary(Step.Unary step) {
        int[] a = read(step.a());
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = Arithmetic.unary(step.op(), a[i]);
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void binary(Step.Binary step) {
        int[] a = read(step.a());
        int[] b = read(step.b());
        vectors[step.to().id()] = step.op().movesLanes()
                ? LaneMoves.binary(step.op(), a, b)
                : step.op().packs() ? LanePacks.binary(step.op(), a, b) : each(step.op(), a, b);
    }

    private int[] each(BinaryOp op, int[] a, int[] b) {
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = Arithmetic.binary(op, a[i], b[i]);
        }
        return to;
    }

    @Override
    public void wide(Step.Wide step) {
        int[] a = read(step.a());
        int[] b = read(step.b());
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i += 2) {
            long result = WideArithmetic.of(step.op(), pair(a, i), pair(b, i));
            to[i] = (int) result;
            to[i + 1] = (int) (result >>> Integer.SIZE);
        }
        vectors[step.to().id()] = to;
    }

    private static long pair(int[] lanes, int at) {
        return (long) lanes[at + 1] << Integer.SIZE | lanes[at] & 0xffffffffL;
    }

    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        int[] a = read(step.a());
        int[] b = read(step.b());
        int[] c = read(step.c());
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = Arithmetic.multiplyAdd(step.negated(), a[i], b[i], c[i]);
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void compare(Step.Compare step) {
        int[] a = read(step.a());
        int[] b = read(step.b());
        boolean[] to = new boolean[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = Arithmetic.compare(step.op(), a[i], b[i]);
        }
        masks[step.to().id()] = to;
    }

    @Override
    public void select(Step.Select step) {
        int[] then = read(step.then());
        int[] otherwise = read(step.otherwise());
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = masks[step.mask().id()][i] ? then[i] : otherwise[i];
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void load(Step.Load step) {
        long from = pointer(step.from());
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            long at = from + (long) step.element().bytes() * i;
            to[i] = included(step.mask(), i) ? memory.read(step.element(), at) : 0;
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void spread(Step.Spread step) {
        int[] to = new int[lanes];
        Arrays.fill(to, memory.read(step.element(), pointer(step.from())));
        vectors[step.to().id()] = to;
    }

    @Override
    public void store(Step.Store step) {
        long to = pointer(step.to());
        if (step.streamed() && to % ((long) Integer.BYTES * lanes) != 0) {
            throw new IllegalStateException("0x" + Long.toHexString(to) + " is streamed to, but not aligned");
        }
        int[] from = vectors[step.from().id()];
        for (int i = 0; i < lanes; i++) {
            if (included(step.mask(), i)) {
                memory.write(step.element(), to + (long) step.element().bytes() * i, from[i]);
            }
        }
    }

    @Override
    public void storePart(Step.StorePart step) {
        for (int i = 0; i < step.lanes(); i++) {
            memory.write(
                    Element.WORD,
                    pointer(step.to()) + i * Integer.BYTES,
                    vectors[step.from().id()][step.first() + i]);
        }
    }

    @Override
    public void reduce(Step.Reduce step) {
        int[] all = vectors[step.from().id()].clone();
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            int[] next = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                next[i] = Arithmetic.binary(step.op(), all[i], all[i ^ distance]);
            }
            all = next;
        }
        vectors[step.to().id()] = all;
    }

    @Override
    public void prefixMask(Step.FirstLanes step) {
        long count = scalars[step.count().id()];
        if (count < 0 || count > lanes) {
            throw new IndexOutOfBoundsException(
                    "kernel " + program.name() + " asks for the first " + count + " of " + lanes + " lanes");
        }
        boolean[] to = new boolean[lanes];
        Arrays.fill(to, 0, (int) count, true);
        masks[step.to().id()] = to;
    }

    @Override
    public void movemask(Step.LaneBits step) {
        long bits = 0;
        for (int i = 0; i < lanes; i++) {
            bits |= included(step.from(), i) ? 1L << i : 0;
        }
        scalars[step.to().id()] = bits;
    }

    @Override
    public void dot(Step.Dot step) {
        int[] a = read(step.a());
        int[] b = read(step.b());
        int[] sum = vectors[step.to().id()];
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = Arithmetic.dot(step.op(), sum[i], a[i], b[i]);
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void permute(Step.Permute step) {
        int[] from = vectors[step.from().id()];
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            int lane = step.lanes().get(i);
            to[i] = lane == Step.Permute.ZERO_LANE ? 0 : from[lane];
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void gather(Step.Gather step) {
        int[] indices = vectors[step.indices().id()];
        int[] to = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            to[i] = included(step.mask(), i) ? memory.read(scalars[step.base().id()] + 4L * indices[i]) : 0;
        }
        vectors[step.to().id()] = to;
    }

    @Override
    public void spreadScalar(Step.SpreadScalar step) {
        int[] to = new int[lanes];
        Arrays.fill(to, (int) scalars[step.from().id()]);
        vectors[step.to().id()] = to;
    }

    @Override
    public void scalarLoad(Step.ScalarLoad step) {
        long from = pointer(step.from());
        scalars[step.to().id()] = step.wide() ? memory.readLong(from) : memory.read(from);
    }

    @Override
    public void move(Step.Move step) {
        memory.move(pointer(step.to()), pointer(step.from()), step.bytes());
    }

    @Override
    public void prefetch(Step.Prefetch step) {}

    @Override
    public void scalar(Step.Scalar step) {
        long b = step.b() == null ? step.constant() : scalars[step.b().id()];
        scalars[step.to().id()] = Arithmetic.scalar(step.op(), scalars[step.a().id()], b);
    }

    @Override
    public void scalarCopy(Step.ScalarCopy step) {
        scalars[step.to().id()] =
                step.from() == null ? step.constant() : scalars[step.from().id()];
    }

    @Override
    public void loop(Step.Loop step) {
        int counter = step.counter().id();
        while (scalars[counter] >= step.step()) {
            all(step.body());
            scalars[counter] -= step.step();
        }
    }

    @Override
    public void branch(Step.If step) {
        all(scalars[step.value().id()] != 0 ? step.then() : step.otherwise());
    }
}
