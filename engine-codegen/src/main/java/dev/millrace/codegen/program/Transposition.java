package dev.millrace.codegen.program;

import java.util.ArrayList;
import java.util.List;

/** Transposes a square matrix in registers: first within blocks of four lanes, then the blocks themselves. */
final class Transposition {
    private static final int BLOCK = 4;

    private final ProgramBuilder builder;

    Transposition(ProgramBuilder builder) {
        this.builder = builder;
    }

    List<VectorVar> of(List<VectorVar> rows) {
        int lanes = builder.target().lanes();
        if (rows.size() != lanes) {
            throw new IllegalArgumentException("a square of " + lanes + " lanes is not made of " + rows.size());
        }
        List<List<VectorVar>> columns = new ArrayList<>();
        for (int column = 0; column < BLOCK; column++) {
            columns.add(new ArrayList<>());
        }
        for (int row = 0; row < lanes; row += BLOCK) {
            List<VectorVar> turned = withinBlocks(rows.subList(row, row + BLOCK));
            for (int column = 0; column < BLOCK; column++) {
                columns.get(column).add(turned.get(column));
            }
        }
        VectorVar[] result = new VectorVar[lanes];
        for (int column = 0; column < BLOCK; column++) {
            List<VectorVar> blocks = betweenBlocks(columns.get(column));
            for (int block = 0; block < blocks.size(); block++) {
                result[BLOCK * block + column] = blocks.get(block);
            }
        }
        return List.of(result);
    }

    /** Transposes a square whose elements are pairs of lanes, two in a block. */
    List<VectorVar> ofPairs(List<VectorVar> rows) {
        int pairs = builder.target().lanes() / 2;
        if (rows.size() != pairs) {
            throw new IllegalArgumentException("a square of " + pairs + " pairs is not made of " + rows.size());
        }
        List<VectorVar> first = new ArrayList<>();
        List<VectorVar> second = new ArrayList<>();
        for (int row = 0; row < pairs; row += 2) {
            first.add(builder.binary(BinaryOp.JOIN_LOW, rows.get(row), rows.get(row + 1)));
            second.add(builder.binary(BinaryOp.JOIN_HIGH, rows.get(row), rows.get(row + 1)));
        }
        List<VectorVar> evens = betweenBlocks(first);
        List<VectorVar> odds = betweenBlocks(second);
        List<VectorVar> result = new ArrayList<>();
        for (int i = 0; i < evens.size(); i++) {
            result.add(evens.get(i));
            result.add(odds.get(i));
        }
        return result;
    }

    /** Transposes each block of four rows; the n-th vector has column n of each block, at the block's position. */
    List<VectorVar> withinBlocks(List<VectorVar> rows) {
        if (rows.size() != BLOCK) {
            throw new IllegalArgumentException("a square of " + BLOCK + " lanes is not made of " + rows.size());
        }
        VectorVar low01 = builder.binary(BinaryOp.INTERLEAVE_LOW, rows.get(0), rows.get(1));
        VectorVar high01 = builder.binary(BinaryOp.INTERLEAVE_HIGH, rows.get(0), rows.get(1));
        VectorVar low23 = builder.binary(BinaryOp.INTERLEAVE_LOW, rows.get(2), rows.get(3));
        VectorVar high23 = builder.binary(BinaryOp.INTERLEAVE_HIGH, rows.get(2), rows.get(3));
        return List.of(
                builder.binary(BinaryOp.JOIN_LOW, low01, low23),
                builder.binary(BinaryOp.JOIN_HIGH, low01, low23),
                builder.binary(BinaryOp.JOIN_LOW, high01, high23),
                builder.binary(BinaryOp.JOIN_HIGH, high01, high23));
    }

    /**
     * Transposes the blocks of as many vectors as each has blocks: vector n of the result has block n of each, in their
     * order.
     */
    private List<VectorVar> betweenBlocks(List<VectorVar> vectors) {
        if (vectors.size() == 1) {
            return vectors;
        }
        int half = vectors.size() / 2;
        List<VectorVar> even = new ArrayList<>();
        List<VectorVar> odd = new ArrayList<>();
        for (int pair = 0; pair < half; pair++) {
            VectorVar first = vectors.get(2 * pair);
            VectorVar second = vectors.get(2 * pair + 1);
            even.add(builder.binary(BinaryOp.EVEN_BLOCKS, first, second));
            odd.add(builder.binary(BinaryOp.ODD_BLOCKS, first, second));
        }
        List<VectorVar> evens = betweenBlocks(even);
        List<VectorVar> odds = betweenBlocks(odd);
        List<VectorVar> result = new ArrayList<>();
        for (int i = 0; i < half; i++) {
            result.add(evens.get(i));
            result.add(odds.get(i));
        }
        return result;
    }
}
