package dev.millrace.codegen.program;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a program step by step. Methods that return a variable create a new one and assign it; the others assign the
 * variable that is passed to them. The number of virtual registers is unlimited: a lowering assigns the real ones, or
 * fails.
 */
public final class ProgramBuilder extends ScalarBuilder {
    private final BitSet prefixMasks = new BitSet();

    public ProgramBuilder(String name, Target target) {
        super(name, target);
    }

    // vectors

    public void set(VectorVar to, ProgramValue value) {
        add(new Step.Unary(UnaryOp.COPY, to, value));
    }

    public VectorVar unary(UnaryOp op, ProgramValue a) {
        VectorVar to = vector("v");
        add(new Step.Unary(op, to, a));
        return to;
    }

    public VectorVar binary(BinaryOp op, ProgramValue a, ProgramValue b) {
        VectorVar to = vector("v");
        binary(to, op, a, b);
        return to;
    }

    public void binary(VectorVar to, BinaryOp op, ProgramValue a, ProgramValue b) {
        if (op.isShift() && !(b instanceof Constant constant && constant.bits() >= 0 && constant.bits() < 32)) {
            throw wrong("shifts by " + b + ", not by a constant from 0 to 31");
        }
        if ((op == BinaryOp.EVEN_BLOCKS || op == BinaryOp.ODD_BLOCKS) && target.lanes() < 8) {
            throw wrong("wants " + op.symbol() + " of vectors of one block");
        }
        add(new Step.Binary(op, to, a, b));
    }

    /** Adds an operation on pairs of lanes. */
    public VectorVar wide(WideOp op, VectorVar a, VectorVar b) {
        VectorVar to = vector("v");
        add(new Step.Wide(op, to, a, b));
        return to;
    }

    public VectorVar add(ProgramValue a, ProgramValue b) {
        return binary(BinaryOp.ADD, a, b);
    }

    public VectorVar sub(ProgramValue a, ProgramValue b) {
        return binary(BinaryOp.SUB, a, b);
    }

    public VectorVar mul(ProgramValue a, ProgramValue b) {
        return binary(BinaryOp.MUL, a, b);
    }

    public VectorVar div(ProgramValue a, ProgramValue b) {
        return binary(BinaryOp.DIV, a, b);
    }

    public VectorVar min(ProgramValue a, ProgramValue b) {
        return binary(BinaryOp.MIN, a, b);
    }

    public VectorVar max(ProgramValue a, ProgramValue b) {
        return binary(BinaryOp.MAX, a, b);
    }

    /** {@code c + a * b}, rounded once */
    public VectorVar multiplyAdd(ProgramValue a, ProgramValue b, ProgramValue c) {
        VectorVar to = vector("v");
        add(new Step.MultiplyAdd(false, to, a, b, c));
        return to;
    }

    /** {@code c - a * b}, rounded once */
    public VectorVar multiplySubtract(ProgramValue a, ProgramValue b, ProgramValue c) {
        VectorVar to = vector("v");
        add(new Step.MultiplyAdd(true, to, a, b, c));
        return to;
    }

    /** {@code sum += a * b}, rounded once */
    public void accumulate(VectorVar sum, ProgramValue a, ProgramValue b) {
        add(new Step.MultiplyAdd(false, sum, a, b, sum));
    }

    /** {@code to += a . b}, where the target has such an instruction */
    public void dot(DotOp op, VectorVar to, ProgramValue a, ProgramValue b) {
        if (!target.dots().contains(op)) {
            throw wrong("wants " + op + ", which " + target.name() + " does not have");
        }
        add(new Step.Dot(op, to, a, b));
    }

    public MaskVar compare(Comparison op, ProgramValue a, ProgramValue b) {
        MaskVar to = mask();
        add(new Step.Compare(op, to, a, b));
        return to;
    }

    public VectorVar select(MaskVar mask, ProgramValue then, ProgramValue otherwise) {
        VectorVar to = vector("v");
        add(new Step.Select(to, mask, then, otherwise));
        return to;
    }

    /** Reduces all lanes by ADD, MIN, MAX or INT_ADD; the result is in all lanes. */
    public VectorVar reduce(BinaryOp op, VectorVar from) {
        if (op != BinaryOp.ADD && op != BinaryOp.MIN && op != BinaryOp.MAX && op != BinaryOp.INT_ADD) {
            throw wrong("reduces by " + op + ", not by ADD, MIN, MAX or INT_ADD");
        }
        VectorVar to = vector("v");
        add(new Step.Reduce(op, to, from));
        return to;
    }

    /** Returns a prefix mask of the first {@code count} lanes, from 0 to the number of lanes. */
    public MaskVar prefixMask(ScalarVar count) {
        MaskVar to = mask();
        add(new Step.FirstLanes(to, count));
        prefixMasks.set(to.id());
        return to;
    }

    /** Returns a number whose bit i is lane i of a mask (movemask); zero where no lane is set. */
    public ScalarVar movemask(MaskVar from) {
        ScalarVar to = scalar("lanes");
        add(new Step.LaneBits(to, from));
        return to;
    }

    /** Permutes lanes: lane i of the result is lane {@code lanes[i]}, or zero for {@link Step.Permute#ZERO_LANE}. */
    public VectorVar permute(VectorVar from, int... lanes) {
        List<Integer> numbers = new ArrayList<>();
        for (int lane : lanes) {
            numbers.add(lane);
        }
        if (numbers.size() != target.lanes()) {
            throw wrong("permutes " + numbers.size() + " of " + target.lanes() + " lanes");
        }
        for (int lane : lanes) {
            if (lane < Step.Permute.ZERO_LANE || lane >= target.lanes()) {
                throw wrong("permutes from lane " + lane);
            }
        }
        VectorVar to = vector("v");
        add(new Step.Permute(to, from, List.copyOf(numbers)));
        return to;
    }

    /** Transposes a square of as many rows as there are lanes, and returns its columns. */
    public List<VectorVar> transpose(List<VectorVar> rows) {
        return new Transposition(this).of(rows);
    }

    /** Transposes each block of four lanes of four rows; the n-th vector has column n of each block. */
    public List<VectorVar> transposeBlocks(List<VectorVar> rows) {
        return new Transposition(this).withinBlocks(rows);
    }

    /**
     * Transposes a square whose elements are pairs of lanes, of as many rows as there are pairs, and returns its
     * columns.
     */
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
            throw wrong("reads pairs under a mask");
        }
        checkMask(element, mask);
        VectorVar to = vector("v");
        add(new Step.Load(to, element, from, mask));
        return to;
    }

    private void checkMask(Element element, @Nullable MaskVar mask) {
        if (element != Element.WORD && mask != null && !prefixMasks.get(mask.id())) {
            throw wrong("has a mask for " + element + " that is not one of the first lanes");
        }
    }

    public VectorVar broadcast(Address from) {
        return broadcast(Element.WORD, from);
    }

    public VectorVar broadcast(Element element, Address from) {
        if (element.isPair()) {
            throw wrong("spreads a pair");
        }
        VectorVar to = vector("v");
        add(new Step.Spread(to, element, from));
        return to;
    }

    /** Broadcasts the lower 32 bits of a scalar to all lanes. */
    public VectorVar broadcast(ScalarVar from) {
        VectorVar to = vector("v");
        add(new Step.SpreadScalar(to, from));
        return to;
    }

    /** Gathers 32 bits for each lane from {@code base + 4 * index}. */
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
            throw wrong("stores " + element);
        }
        checkMask(element, mask);
        add(new Step.Store(to, element, from, mask, false));
    }

    /** Stores the first lane, a word, in a tenth of the time of a masked store of one lane. */
    public void storeFirst(Address to, VectorVar from) {
        storePart(to, from, 0, 1);
    }

    /**
     * Stores {@code count} lanes, words, from lane {@code first} on: 1, 2, 4 or 8, of which {@code first} is a
     * multiple.
     */
    public void storePart(Address to, VectorVar from, int first, int count) {
        boolean any = count > 0 && count <= 8 && Integer.bitCount(count) == 1;
        if (!any || first < 0 || first % count != 0 || first + count > target.lanes()) {
            throw wrong("stores " + count + " of " + target.lanes() + " lanes from number " + first + " on");
        }
        add(new Step.StorePart(to, from, first, count));
    }

    /** Stores words that are not read soon, past the caches. The address is a multiple of the bytes of a vector. */
    public void stream(Address to, VectorVar from) {
        stream(Element.WORD, to, from);
    }

    /**
     * Stores words or doubles that are not read soon, past the caches. The address is a multiple of the bytes of a
     * vector.
     */
    public void stream(Element element, Address to, VectorVar from) {
        if (!element.canBeStreamed()) {
            throw wrong("streams " + element);
        }
        add(new Step.Store(to, element, from, null, true));
    }

    /** Moves 1, 2, 4 or 8 bytes from memory to memory. */
    public void move(Address to, Address from, int bytes) {
        if (bytes < 1 || bytes > Long.BYTES || Integer.bitCount(bytes) != 1) {
            throw wrong("moves " + bytes + " bytes, not 1, 2, 4 or 8");
        }
        add(new Step.Move(to, from, bytes));
    }

    /** Prefetches memory that is read next into the L1 cache. */
    public void prefetch(Address at) {
        add(new Step.Prefetch(at, false));
    }

    /** Prefetches memory that is read later into the L2 cache: the content of the L1 cache is needed before. */
    public void prefetchForLater(Address at) {
        add(new Step.Prefetch(at, true));
    }
}
