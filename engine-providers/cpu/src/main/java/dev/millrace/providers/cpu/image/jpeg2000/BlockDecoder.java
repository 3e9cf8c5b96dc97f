package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.Arrays;

/** The decoder of code blocks' coefficients, bit plane by bit plane in three coding passes each (EBCOT tier 1). */
final class BlockDecoder {
    private static final int MOST_PLANES = 30;
    private static final int STRIPE = 4;

    private static final int SIGN_CONTEXTS = 9;
    private static final int MAGNITUDE_CONTEXTS = 14;
    private static final int RUN = 17;
    private static final int UNIFORM = 18;

    private final MqDecoder bits = new MqDecoder();
    /** The flags of each coefficient and its neighbours, with a border of one coefficient. */
    private int[] flags = {};
    /** The coefficients, doubled, with a half added for lower planes that are not decoded. */
    private int[] values = {};

    private int width;
    private int height;
    private int stride;
    private boolean causal;
    private int band;
    private int plane;
    private boolean raw;

    /** Returns the coefficients of a block of a band of {@code kind}, row after row, doubled. */
    int[] decode(CodeBlock block, int kind, CodingStyle style, int shift) {
        width = block.area.width();
        height = block.area.height();
        stride = width + 2;
        band = kind;
        causal = style.has(CodingStyle.CAUSAL);
        int cells = stride * (height + 2);
        if (flags.length < cells) {
            flags = new int[cells];
            values = new int[cells];
        }
        Arrays.fill(flags, 0, cells, 0);
        Arrays.fill(values, 0, width * height, 0);
        if (block.planes + shift > MOST_PLANES) {
            throw new IllegalArgumentException("a code block of " + block.planes + " planes, " + shift
                    + " up; possible are " + MOST_PLANES + " together");
        }
        passes(block, style, shift);
        return values;
    }

    private void passes(CodeBlock block, CodingStyle style, int shift) {
        resetContexts();
        plane = block.planes + shift;
        int pass = 2;
        int at = 0;
        for (CodeBlock.Segment segment : block.segments) {
            raw = style.has(CodingStyle.BYPASS) && pass < 2 && plane <= block.planes - 4;
            if (raw) {
                bits.startRaw(block.data(), at, segment.bytes);
            } else {
                bits.start(block.data(), at, segment.bytes);
            }
            at += segment.bytes;
            for (int i = 0; i < segment.passes && plane > 0; i++) {
                run(pass, style);
                if (style.has(CodingStyle.RESET) && !raw) {
                    resetContexts();
                }
                pass = (pass + 1) % 3;
                plane -= pass == 0 ? 1 : 0;
            }
        }
    }

    private void run(int pass, CodingStyle style) {
        for (int y = 0; y < height; y += STRIPE) {
            int end = Math.min(y + STRIPE, height);
            for (int x = 0; x < width; x++) {
                switch (pass) {
                    case 0 -> findSignificant(x, y, end);
                    case 1 -> refine(x, y, end);
                    default -> cleanUp(x, y, end);
                }
            }
        }
        if (pass == 2 && style.has(CodingStyle.SEGMENT_SYMBOLS)) {
            for (int i = 0; i < 4; i++) {
                bits.bit(UNIFORM);
            }
        }
    }

    private void resetContexts() {
        bits.reset();
        bits.setState(0, 4);
        bits.setState(RUN, 3);
        bits.setState(UNIFORM, 46);
    }

    /** Decodes the significance propagation pass: coefficients with significant neighbours. */
    private void findSignificant(int x, int start, int end) {
        for (int y = start; y < end; y++) {
            int at = at(x, y);
            int known = known(at, y);
            if ((known & Contexts.SIGNIFICANT) == 0 && (known & Contexts.NEIGHBOURS) != 0) {
                if (raw ? bits.rawBit() == 1 : bits.bit(Contexts.zero(band, known)) == 1) {
                    set(x, y, raw ? bits.rawBit() : sign(known));
                }
                flags[at] |= Contexts.VISITED;
            }
        }
    }

    /** Decodes the magnitude refinement pass: coefficients that were significant before this plane. */
    private void refine(int x, int start, int end) {
        int half = 1 << (plane - 1);
        for (int y = start; y < end; y++) {
            int at = at(x, y);
            int known = known(at, y);
            if ((known & (Contexts.SIGNIFICANT | Contexts.VISITED)) == Contexts.SIGNIFICANT) {
                int bit = raw ? bits.rawBit() : bits.bit(MAGNITUDE_CONTEXTS + Contexts.magnitude(known));
                int place = y * width + x;
                values[place] += bit == 1 == values[place] > 0 ? half : -half;
                flags[at] |= Contexts.REFINED;
            }
        }
    }

    /**
     * Decodes the cleanup pass: all other coefficients. Four without significant neighbours begin with one common bit.
     */
    private void cleanUp(int x, int start, int end) {
        int y = start;
        boolean present = false;
        if (end - start == STRIPE && isQuiet(x, start)) {
            if (bits.bit(RUN) == 0) {
                return;
            }
            y += 2 * bits.bit(UNIFORM);
            y += bits.bit(UNIFORM);
            present = true;
        }
        for (; y < end; y++) {
            int at = at(x, y);
            int known = known(at, y);
            boolean open = (known & (Contexts.SIGNIFICANT | Contexts.VISITED)) == 0;
            if (present || (open && bits.bit(Contexts.zero(band, known)) == 1)) {
                set(x, y, sign(known));
            }
            present = false;
            flags[at] &= ~Contexts.VISITED;
        }
    }

    private boolean isQuiet(int x, int start) {
        int all = 0;
        for (int y = start; y < start + STRIPE; y++) {
            all |= known(at(x, y), y);
        }
        return (all & (Contexts.NEIGHBOURS | Contexts.SIGNIFICANT | Contexts.VISITED)) == 0;
    }

    private int sign(int known) {
        return bits.bit(SIGN_CONTEXTS + Contexts.sign(known)) ^ Contexts.signFlip(known);
    }

    private void set(int x, int y, int sign) {
        int magnitude = 1 << plane | 1 << (plane - 1);
        values[y * width + x] = sign == 1 ? -magnitude : magnitude;
        int at = at(x, y);
        flags[at] |= Contexts.SIGNIFICANT;
        flags[at - 1] |= Contexts.RIGHT | sign * Contexts.RIGHT_NEGATIVE;
        flags[at + 1] |= Contexts.LEFT | sign * Contexts.LEFT_NEGATIVE;
        flags[at - stride] |= Contexts.BELOW | sign * Contexts.BELOW_NEGATIVE;
        flags[at + stride] |= Contexts.ABOVE | sign * Contexts.ABOVE_NEGATIVE;
        flags[at - stride - 1] |= Contexts.BELOW_RIGHT;
        flags[at - stride + 1] |= Contexts.BELOW_LEFT;
        flags[at + stride - 1] |= Contexts.ABOVE_RIGHT;
        flags[at + stride + 1] |= Contexts.ABOVE_LEFT;
    }

    private int at(int x, int y) {
        return (y + 1) * stride + x + 1;
    }

    /**
     * Returns the flags that count for a coefficient. In causal blocks the last row of a stripe does not see the next
     * stripe.
     */
    private int known(int at, int y) {
        return causal && y % STRIPE == STRIPE - 1 ? flags[at] & ~Contexts.NEXT_ROW : flags[at];
    }
}
