package dev.millrace.kernels.program;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a program step by step. Methods that return a variable make a new one and assign it; the others assign the
 * variable that they are given. Virtual registers are free: a lowering assigns the real ones, or refuses.
 */
public final class ProgramBuilder {
    /** Ten times more than the largest kernel has. A key that comes from a file must not fill the memory. */
    public static final int MAX_STEPS = 1 << 15;

    private final String name;
    private final Target target;
    private final List<ScalarVar> parameters = new ArrayList<>();
    private final Deque<List<Step>> open = new ArrayDeque<>();
    private final BitSet prefixMasks = new BitSet();
    private int variables;
    private int steps;

    public ProgramBuilder(String name, Target target) {
        this.name = name;
        this.target = target;
        open.push(new ArrayList<>());
    }

    public Target target() {
        return target;
    }

    /** The next argument of a call. */
    public ScalarVar parameter(String parameterName) {
        if (parameters.size() == Program.MAX_PARAMETERS) {
            throw new IllegalStateException(
                    "kernel " + name + " has more than " + Program.MAX_PARAMETERS + " parameters");
        }
        ScalarVar parameter = scalar(parameterName);
        parameters.add(parameter);
        return parameter;
    }

    /** A vector that is not assigned yet. */
    public VectorVar vector(String variableName) {
        return new VectorVar(variables++, variableName);
    }

    /** A scalar that is not assigned yet. */
    public ScalarVar scalar(String variableName) {
        return new ScalarVar(variables++, variableName);
    }

    private MaskVar mask() {
        return new MaskVar(variables++, "m");
    }

    private void add(Step step) {
        if (++steps > MAX_STEPS) {
            throw new IllegalArgumentException(
                    "kernel " + name + " has more than " + MAX_STEPS + " steps: its parameters are too large");
        }
        current().add(step);
    }

    // vectors

    public void set(VectorVar to, Value value) {
        add(new Step.Unary(UnaryOp.COPY, to, value));
    }

    public VectorVar unary(UnaryOp op, Value a) {
        VectorVar to = vector("v");
        add(new Step.Unary(op, to, a));
        return to;
    }

    public VectorVar binary(BinaryOp op, Value a, Value b) {
        VectorVar to = vector("v");
        binary(to, op, a, b);
        return to;
    }

    public void binary(VectorVar to, BinaryOp op, Value a, Value b) {
        if (op.isShift() && !(b instanceof Constant constant && constant.bits() >= 0 && constant.bits() < 32)) {
            throw new IllegalArgumentException(
                    "kernel " + name + " shifts by " + b + ", not by a constant from 0 to 31");
        }
        if ((op == BinaryOp.EVEN_BLOCKS || op == BinaryOp.ODD_BLOCKS) && target.lanes() < 8) {
            throw new IllegalArgumentException("kernel " + name + " wants " + op.symbol() + " of vectors of one block");
        }
        add(new Step.Binary(op, to, a, b));
    }

    public VectorVar add(Value a, Value b) {
        return binary(BinaryOp.ADD, a, b);
    }

    public VectorVar sub(Value a, Value b) {
        return binary(BinaryOp.SUB, a, b);
    }

    public VectorVar mul(Value a, Value b) {
        return binary(BinaryOp.MUL, a, b);
    }

    public VectorVar div(Value a, Value b) {
        return binary(BinaryOp.DIV, a, b);
    }

    public VectorVar min(Value a, Value b) {
        return binary(BinaryOp.MIN, a, b);
    }

    public VectorVar max(Value a, Value b) {
        return binary(BinaryOp.MAX, a, b);
    }

    /** {@code c + a * b}, rounded once */
    public VectorVar multiplyAdd(Value a, Value b, Value c) {
        VectorVar to = vector("v");
        add(new Step.MultiplyAdd(false, to, a, b, c));
        return to;
    }

    /** {@code c - a * b}, rounded once */
    public VectorVar multiplySubtract(Value a, Value b, Value c) {
        VectorVar to = vector("v");
        add(new Step.MultiplyAdd(true, to, a, b, c));
        return to;
    }

    /** {@code sum += a * b}, rounded once */
    public void accumulate(VectorVar sum, Value a, Value b) {
        add(new Step.MultiplyAdd(false, sum, a, b, sum));
    }

    /** {@code to += a . b}, where the target has such an instruction */
    public void dot(DotOp op, VectorVar to, Value a, Value b) {
        if (!target.dots().contains(op)) {
            throw new IllegalArgumentException(
                    "kernel " + name + " wants " + op + ", which " + target.name() + " does not have");
        }
        add(new Step.Dot(op, to, a, b));
    }

    public MaskVar compare(Comparison op, Value a, Value b) {
        MaskVar to = mask();
        add(new Step.Compare(op, to, a, b));
        return to;
    }

    public VectorVar select(MaskVar mask, Value then, Value otherwise) {
        VectorVar to = vector("v");
        add(new Step.Select(to, mask, then, otherwise));
        return to;
    }

    /** All lanes combined by ADD, MIN, MAX or INT_ADD, in all lanes. */
    public VectorVar reduce(BinaryOp op, VectorVar from) {
        if (op != BinaryOp.ADD && op != BinaryOp.MIN && op != BinaryOp.MAX && op != BinaryOp.INT_ADD) {
            throw new IllegalArgumentException(
                    "kernel " + name + " reduces by " + op + ", not by ADD, MIN, MAX or INT_ADD");
        }
        VectorVar to = vector("v");
        add(new Step.Reduce(op, to, from));
        return to;
    }

    /** A mask of the first {@code count} lanes, count being between 0 and the number of lanes. */
    public MaskVar firstLanes(ScalarVar count) {
        MaskVar to = mask();
        add(new Step.FirstLanes(to, count));
        prefixMasks.set(to.id());
        return to;
    }

    /** Lane i of the result is lane {@code lanes[i]}, or zero for {@link Step.Permute#ZERO_LANE}. */
    public VectorVar permute(VectorVar from, int... lanes) {
        List<Integer> numbers = new ArrayList<>();
        for (int lane : lanes) {
            numbers.add(lane);
        }
        if (numbers.size() != target.lanes()) {
            throw new IllegalArgumentException(
                    "kernel " + name + " permutes " + numbers.size() + " of " + target.lanes() + " lanes");
        }
        for (int lane : lanes) {
            if (lane < Step.Permute.ZERO_LANE || lane >= target.lanes()) {
                throw new IllegalArgumentException("kernel " + name + " permutes from lane " + lane);
            }
        }
        VectorVar to = vector("v");
        add(new Step.Permute(to, from, List.copyOf(numbers)));
        return to;
    }

    /** The columns of a square of as many rows as there are lanes. */
    public List<VectorVar> transpose(List<VectorVar> rows) {
        return new Transposition(this).of(rows);
    }

    /** Four vectors: the n-th has column n of the squares that blocks of four lanes of the rows make. */
    public List<VectorVar> transposeBlocks(List<VectorVar> rows) {
        return new Transposition(this).withinBlocks(rows);
    }

    /** The columns of a square whose elements are pairs of lanes: as many rows as there are pairs. */
    public List<VectorVar> transposePairs(List<VectorVar> rows) {
        return new Transposition(this).ofPairs(rows);
    }

    // memory

    public VectorVar load(Address from) {
        return load(from, null);
    }

    public VectorVar load(Address from, @Nullable MaskVar mask) {
        return load(Element.WORD, from, mask);
    }

    public VectorVar load(Element element, Address from, @Nullable MaskVar mask) {
        if (element.isPair() && mask != null) {
            throw new IllegalArgumentException("kernel " + name + " reads pairs under a mask");
        }
        checkMask(element, mask);
        VectorVar to = vector("v");
        add(new Step.Load(to, element, from, mask));
        return to;
    }

    private void checkMask(Element element, @Nullable MaskVar mask) {
        if (element != Element.WORD && mask != null && !prefixMasks.get(mask.id())) {
            throw new IllegalArgumentException(
                    "kernel " + name + " has a mask for " + element + " that is not one of the first lanes");
        }
    }

    public VectorVar spread(Address from) {
        return spread(Element.WORD, from);
    }

    public VectorVar spread(Element element, Address from) {
        if (element.isPair()) {
            throw new IllegalArgumentException("kernel " + name + " spreads a pair");
        }
        VectorVar to = vector("v");
        add(new Step.Spread(to, element, from));
        return to;
    }

    /** The lower 32 bits of a scalar in all lanes. */
    public VectorVar spread(ScalarVar from) {
        VectorVar to = vector("v");
        add(new Step.SpreadScalar(to, from));
        return to;
    }

    /** 32 bits for each lane from {@code base + 4 * index}. */
    public VectorVar gather(ScalarVar base, VectorVar indices, @Nullable MaskVar mask) {
        VectorVar to = vector("v");
        add(new Step.Gather(to, base, indices, mask));
        return to;
    }

    public void store(Address to, VectorVar from) {
        store(to, from, null);
    }

    public void store(Address to, VectorVar from, @Nullable MaskVar mask) {
        store(Element.WORD, to, from, mask);
    }

    public void store(Element element, Address to, VectorVar from, @Nullable MaskVar mask) {
        if (!element.canBeStored()) {
            throw new IllegalArgumentException("kernel " + name + " stores " + element);
        }
        checkMask(element, mask);
        add(new Step.Store(to, element, from, mask, false));
    }

    /** Stores words that will not be read soon. The address is a multiple of the bytes of a vector. */
    public void stream(Address to, VectorVar from) {
        stream(Element.WORD, to, from);
    }

    /** Stores words or doubles that will not be read soon. The address is a multiple of the bytes of a vector. */
    public void stream(Element element, Address to, VectorVar from) {
        if (!element.canBeStreamed()) {
            throw new IllegalArgumentException("kernel " + name + " streams " + element);
        }
        add(new Step.Store(to, element, from, null, true));
    }

    /** Moves 1, 2, 4 or 8 bytes from memory to memory. */
    public void move(Address to, Address from, int bytes) {
        if (bytes < 1 || bytes > Long.BYTES || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("kernel " + name + " moves " + bytes + " bytes, not 1, 2, 4 or 8");
        }
        add(new Step.Move(to, from, bytes));
    }

    public void prefetch(Address at) {
        add(new Step.Prefetch(at));
    }

    // scalars

    public void set(ScalarVar to, ScalarVar from) {
        add(new Step.ScalarCopy(to, from, 0));
    }

    public void set(ScalarVar to, long constant) {
        add(new Step.ScalarCopy(to, null, constant));
    }

    /** A scalar of 64 bits from memory. */
    public ScalarVar loadLong(Address from, String variableName) {
        ScalarVar to = scalar(variableName);
        add(new Step.ScalarLoad(to, true, from));
        return to;
    }

    /** A scalar of 32 bits with sign from memory. */
    public ScalarVar loadInt(Address from, String variableName) {
        ScalarVar to = scalar(variableName);
        add(new Step.ScalarLoad(to, false, from));
        return to;
    }

    /** A new variable with the value that another has now. */
    public ScalarVar copy(ScalarVar from, String variableName) {
        ScalarVar to = scalar(variableName);
        set(to, from);
        return to;
    }

    public void scalar(ScalarVar to, ScalarOp op, ScalarVar a, ScalarVar b) {
        if (op == ScalarOp.SHL || op == ScalarOp.SHR) {
            throw new IllegalArgumentException("kernel " + name + " shifts by a variable");
        }
        add(new Step.Scalar(op, to, a, b, 0));
    }

    public void scalar(ScalarVar to, ScalarOp op, ScalarVar a, int constant) {
        boolean shift = op == ScalarOp.SHL || op == ScalarOp.SHR;
        if (shift && (constant < 0 || constant >= Long.SIZE)) {
            throw new IllegalArgumentException("kernel " + name + " shifts by " + constant + ", not by 0 to 63");
        }
        add(new Step.Scalar(op, to, a, null, constant));
    }

    /** {@code pointer += bytes} */
    public void advance(ScalarVar pointer, int bytes) {
        scalar(pointer, ScalarOp.ADD, pointer, bytes);
    }

    /** {@code pointer += bytes} */
    public void advance(ScalarVar pointer, ScalarVar bytes) {
        scalar(pointer, ScalarOp.ADD, pointer, bytes);
    }

    /** The low half of a scalar that carries two unsigned numbers; {@link #high} is the other one. */
    public ScalarVar low(ScalarVar pair, String variableName) {
        ScalarVar to = scalar(variableName);
        scalar(to, ScalarOp.SHL, pair, 32);
        scalar(to, ScalarOp.SHR, to, 32);
        return to;
    }

    public ScalarVar high(ScalarVar pair, String variableName) {
        ScalarVar to = scalar(variableName);
        scalar(to, ScalarOp.SHR, pair, 32);
        return to;
    }

    // control

    /**
     * Opens a loop: repeats what is written until the result is closed while {@code counter >= step}, taking
     * {@code step} off each time; the rest stays in the counter.
     */
    public Body loop(ScalarVar counter, int step) {
        if (step <= 0) {
            throw new IllegalArgumentException("kernel " + name + " has a loop by " + step);
        }
        return new Body(counter, step, null);
    }

    /** Opens what runs only if the value is not 0, until the result is closed. */
    public Body ifNotZero(ScalarVar value) {
        return new Body(value, 0, null);
    }

    /** Opens the other case of the {@link #ifNotZero} that was closed just before, until the result is closed. */
    public Body otherwise() {
        List<Step> steps = current();
        if (steps.isEmpty()
                || !(steps.getLast() instanceof Step.If condition)
                || !condition.otherwise().isEmpty()) {
            throw new IllegalStateException("kernel " + name + " has an otherwise without its condition");
        }
        steps.removeLast();
        return new Body(condition.value(), 0, condition.then());
    }

    private List<Step> current() {
        return Objects.requireNonNull(open.peek());
    }

    /** Part of a program that is being written: what is added until it is closed belongs to it. */
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
     * The program as written so far.
     *
     * @throws IllegalStateException if it may read a variable that was not written
     */
    public Program build() {
        Program program = new Program(name, target, List.copyOf(parameters), variables, List.copyOf(current()));
        ProgramCheck.check(program);
        return program;
    }
}
