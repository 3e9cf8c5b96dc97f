package dev.millrace.kernels.loops;

/**
 * Where the numbers of a call are in its block of 64-bit numbers: the elements in a row, the rows, the planes of rows,
 * then a pointer for each operand, then for each how far its rows are apart, and what leads from the end of a plane to
 * the next one, then numbers that only the kernel understands. Distances are in bytes.
 */
final class RowBlock {
    static final int COUNT = 0;
    static final int ROWS = 8;
    static final int PLANES = 16;

    private static final int FIRST_POINTER = 24;

    private RowBlock() {}

    static int pointer(int operand) {
        return FIRST_POINTER + 8 * operand;
    }

    static int rowStride(int operands, int operand) {
        return FIRST_POINTER + 8 * operands + 16 * operand;
    }

    static int planeStep(int operands, int operand) {
        return rowStride(operands, operand) + 8;
    }

    static int extra(int operands, int index) {
        return rowStride(operands, operands) + 8 * index;
    }
}
