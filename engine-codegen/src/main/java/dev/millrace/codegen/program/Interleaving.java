package dev.millrace.codegen.program;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * De-interleaves words of several streams, and interleaves them again: word i of stream j is word {@code ways * i + j}
 * of as many vectors as there are streams. Each stream is one vector.
 */
public final class Interleaving {
    private static final int BLOCK = 4;
    private static final int THREE = 3;

    private final ProgramBuilder builder;
    private final int ways;
    private final int lanes;
    private final List<MaskVar> classes = new ArrayList<>();

    /** @param ways the number of streams, 2 to 4 */
    public Interleaving(ProgramBuilder builder, int ways) {
        this.builder = builder;
        this.ways = ways;
        lanes = builder.target().lanes();
        if (ways == THREE) {
            VectorVar number = permuted(LaneSums.laneNumbers(builder), lane -> lane % THREE);
            for (int i = 0; i < THREE - 1; i++) {
                classes.add(builder.compare(Comparison.INT_EQUAL, number, Constant.ofBits(i)));
            }
        }
    }

    /** De-interleaves vectors and returns the streams. */
    public List<VectorVar> apart(List<VectorVar> vectors) {
        List<VectorVar> streams = new ArrayList<>();
        if (ways == THREE) {
            for (int j = 0; j < ways; j++) {
                int stream = j;
                VectorVar its = byClass(vectors, lane -> vectorOf(stream, lane));
                streams.add(permuted(its, i -> (ways * i + stream) % lanes));
            }
            return streams;
        }
        for (VectorVar its : ways == 2 ? pairs(pairs(vectors)) : builder.transposeBlocks(vectors)) {
            streams.add(permuted(its, this::laneInBlocks));
        }
        return streams;
    }

    /** Interleaves streams and returns the vectors. */
    public List<VectorVar> together(List<VectorVar> streams) {
        List<VectorVar> placed = new ArrayList<>();
        for (int j = 0; j < ways; j++) {
            int stream = j;
            IntUnaryOperator lane = ways == THREE ? i -> (ways * i + stream) % lanes : this::laneInBlocks;
            placed.add(permuted(streams.get(j), inverse(lane)));
        }
        if (ways != THREE) {
            return ways == 2 ? pairs(placed) : builder.transposeBlocks(placed);
        }
        List<VectorVar> vectors = new ArrayList<>();
        for (int v = 0; v < ways; v++) {
            int first = v * lanes;
            vectors.add(byClass(placed, lane -> (first + lane) % ways));
        }
        return vectors;
    }

    /** Returns the index of the one of three vectors that has a word of {@code stream} in {@code lane}. */
    private int vectorOf(int stream, int lane) {
        int vector = 0;
        while ((vector * lanes + lane) % ways != stream) {
            vector++;
        }
        return vector;
    }

    /** Selects each lane from one of three vectors, the same one for all lanes with equal remainders modulo three. */
    private VectorVar byClass(List<VectorVar> vectors, IntUnaryOperator chosen) {
        VectorVar others =
                builder.select(classes.get(1), vectors.get(chosen.applyAsInt(1)), vectors.get(chosen.applyAsInt(2)));
        return builder.select(classes.get(0), vectors.get(chosen.applyAsInt(0)), others);
    }

    private List<VectorVar> pairs(List<VectorVar> two) {
        return List.of(
                builder.binary(BinaryOp.INTERLEAVE_LOW, two.get(0), two.get(1)),
                builder.binary(BinaryOp.INTERLEAVE_HIGH, two.get(0), two.get(1)));
    }

    /** Returns the lane of word i of a stream after the operations within blocks of lanes. */
    private int laneInBlocks(int i) {
        int perVector = lanes / ways;
        int perBlock = BLOCK / ways;
        int inVector = i % perVector;
        return BLOCK * (inVector / perBlock) + i / perVector * perBlock + inVector % perBlock;
    }

    private IntUnaryOperator inverse(IntUnaryOperator lane) {
        int[] of = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            of[lane.applyAsInt(i)] = i;
        }
        return i -> of[i];
    }

    private VectorVar permuted(VectorVar from, IntUnaryOperator lane) {
        int[] places = new int[lanes];
        boolean same = true;
        for (int i = 0; i < lanes; i++) {
            places[i] = lane.applyAsInt(i);
            same &= places[i] == i;
        }
        return same ? from : builder.permute(from, places);
    }
}
