package dev.millrace.kernels.layout;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;
import java.util.List;

/** Words as the elements of 1, 2 or 4 bytes that they are made of, the first one in the lowest bits. */
final class WordParts {
    private final ProgramBuilder builder;
    private final int bits;

    WordParts(ProgramBuilder builder, int bytes) {
        this.builder = builder;
        bits = Byte.SIZE * bytes;
    }

    /** Elements in a word. */
    int perWord() {
        return Integer.SIZE / bits;
    }

    /** Moves the element at one place of each word to another, and clears the others. */
    VectorVar moved(VectorVar words, int fromPlace, int toPlace) {
        if (bits == Integer.SIZE) {
            return words;
        }
        int from = fromPlace * bits;
        int to = toPlace * bits;
        VectorVar shifted = words;
        boolean alone = false;
        if (from < to) {
            shifted = builder.binary(BinaryOp.SHIFT_LEFT, words, Constant.ofBits(to - from));
            alone = from == 0 && to + bits == Integer.SIZE;
        } else if (from > to) {
            shifted = builder.binary(BinaryOp.SHIFT_RIGHT, words, Constant.ofBits(from - to));
            alone = to == 0 && from + bits == Integer.SIZE;
        }
        int ones = (1 << bits) - 1 << to;
        return alone ? shifted : builder.binary(BinaryOp.AND, shifted, Constant.ofBits(ones));
    }

    /** Words of elements that are alone in theirs, each at a place of its own. */
    VectorVar joined(List<VectorVar> elements) {
        VectorVar all = elements.getFirst();
        for (VectorVar element : elements.subList(1, elements.size())) {
            all = builder.binary(BinaryOp.OR, all, element);
        }
        return all;
    }
}
