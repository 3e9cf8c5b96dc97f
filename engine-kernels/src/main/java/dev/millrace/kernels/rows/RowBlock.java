package dev.millrace.kernels.rows;

/**
 * The offsets of the numbers of a call in its block of 64-bit numbers: the elements in a row, the rows, the planes of
 * rows, then a pointer for each operand, then for each the distance of its rows and the step from the end of a plane to
 * the next one, then numbers that only the kernel interprets. Distances are in bytes.
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
