package dev.millrace.codegen.asm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Assembles instructions to position-independent machine code.
 *
 * <p>An instruction that exists with several encodings gets the first one of its row that the features allow and that
 * can express the operands; VEX is before EVEX, being shorter. Not thread-safe.
 */
public final class Assembler {
    private static final int[] NOP_1 = {0x90};
    private static final int[] NOP_2 = {0x66, 0x90};
    private static final int[] NOP_3 = {0x0f, 0x1f, 0x00};
    private static final int[] NOP_4 = {0x0f, 0x1f, 0x40, 0x00};
    private static final int[][] NOPS = {NOP_1, NOP_2, NOP_3, NOP_4};

    private final FeatureSet features;
    private final CodeBuffer code = new CodeBuffer();
    private final Encoder encoder = new Encoder(code);
    private final ConstantPool pool = new ConstantPool();
    private final @Nullable List<Emitted> listing;
    private final List<Label> forward = new ArrayList<>();
    private boolean finished;

    /** Creates an assembler that may use these features and keeps no listing. */
    public Assembler(FeatureSet features) {
        this(features, false);
    }

    /** @param listing whether to keep the instructions for {@link #listing} */
    public Assembler(FeatureSet features, boolean listing) {
        this.features = features;
        this.listing = listing ? new ArrayList<>() : null;
    }

    public FeatureSet features() {
        return features;
    }

    /** The number of bytes emitted so far. */
    public int size() {
        return code.size();
    }

    /**
     * Appends an instruction.
     *
     * @param operands in Intel's order, the destination first
     * @throws IllegalArgumentException if no encoding of it takes these operands; the message says why
     */
    public void emit(Op op, Operand... operands) {
        for (Form form : op.forms()) {
            if (OperandMatch.of(form, operands, features) instanceof OperandMatch match) {
                int start = code.size();
                encoder.encode(match);
                if (listing != null) {
                    listing.add(Emitted.instruction(start, code.size(), op, operands, match));
                }
                return;
            }
        }
        throw refused(op, operands);
    }

    private IllegalArgumentException refused(Op op, Operand[] operands) {
        List<String> reasons = new ArrayList<>();
        OperandMatch.Refusal furthest = OperandMatch.Refusal.COUNT;
        for (Form form : op.forms()) {
            if (OperandMatch.of(form, operands, features) instanceof OperandMatch.Refusal refusal) {
                furthest = refusal.ordinal() > furthest.ordinal() ? refusal : furthest;
                if (refusal == OperandMatch.Refusal.FEATURE) {
                    reasons.add(form.feature.name());
                }
            }
        }
        String needs = reasons.isEmpty() ? "" : " (" + String.join(" or ", reasons) + ")";
        return new IllegalArgumentException(
                op + " " + Arrays.toString(operands) + " cannot be encoded: " + furthest.text + needs);
    }

    /** Jumps always. The jump is short when the label is bound already and near enough, else near. */
    public void jump(Label target) {
        branch(null, target, false);
    }

    /** Jumps on a condition. The jump is short when the label is bound already and near enough, else near. */
    public void jump(Cond condition, Label target) {
        branch(condition, target, false);
    }

    /**
     * Jumps on a condition with a two-byte instruction. Refused, at the latest when the label is bound, if it is too
     * far.
     */
    public void jumpShort(Cond condition, Label target) {
        branch(condition, target, true);
    }

    private void branch(@Nullable Cond condition, Label target, boolean forceShort) {
        int start = code.size();
        int distance = target.bound() ? target.position() - (start + 2) : 0;
        boolean reaches = target.bound() && distance >= Byte.MIN_VALUE;
        if (forceShort && target.bound() && !reaches) {
            throw new IllegalArgumentException("a short jump at " + start + " cannot reach " + target.position());
        }
        if (reaches || forceShort) {
            code.put(condition == null ? 0xeb : 0x70 | condition.code());
            if (!target.bound()) {
                target.awaitShort(code.size());
                forward.add(target);
            }
            code.put(distance);
        } else {
            if (condition == null) {
                code.put(0xe9);
            } else {
                code.put(0x0f);
                code.put(0x80 | condition.code());
            }
            near(target);
        }
        if (listing != null) {
            listing.add(Emitted.jump(start, code.size(), condition, target));
        }
    }

    private void near(Label target) {
        int site = code.size();
        if (target.bound()) {
            code.putInt(target.position() - (site + 4));
        } else {
            target.await(site);
            forward.add(target);
            code.putInt(0);
        }
    }

    /** Binds a label to the next instruction. */
    public void bind(Label label) {
        label.bind(code);
    }

    /** Returns a new label, bound to the next instruction. */
    public Label here() {
        Label label = new Label();
        bind(label);
        return label;
    }

    /**
     * Pads with NOPs to a multiple of {@code bytes}. The code must then be placed at a multiple of the same power of
     * two.
     */
    public void align(int bytes) {
        if (Integer.bitCount(bytes) != 1 || bytes > 64) {
            throw new IllegalArgumentException("an alignment is a power of two up to 64, not " + bytes);
        }
        int missing = -code.size() & bytes - 1;
        while (missing > 0) {
            int[] nop = NOPS[Math.min(missing, NOPS.length) - 1];
            for (int value : nop) {
                code.put(value);
            }
            missing -= nop.length;
        }
    }

    /** Returns the address of a constant made of some ints, aligned to its size; equal constants share a place. */
    public Mem constant(int... words) {
        return pool.place(words);
    }

    /** Ends the code, appends the constants and returns the bytes. Nothing can be emitted any more. */
    public byte[] finish() {
        if (finished) {
            throw new IllegalStateException("the code is finished");
        }
        finished = true;
        for (Label label : forward) {
            if (!label.bound()) {
                throw new IllegalStateException("a jump goes to a label that was never bound");
            }
        }
        pool.emit(this, code);
        return code.toArray();
    }

    /** The emitted instructions in order, if this assembler keeps them; constants and alignment are not among them. */
    public List<Emitted> listing() {
        return listing == null ? List.of() : Collections.unmodifiableList(listing);
    }
}
