package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Products of matrices and stacks of them. */
final class MatrixInference {
    private MatrixInference() {}

    static void matMul(InferenceContext c) {
        c.set(0, c.element(0), product(c, c.dims(0), c.dims(1)));
    }

    static void matMulInteger(InferenceContext c) {
        c.set(0, ElementType.INT32, product(c, c.dims(0), c.dims(1)));
        byRow(c, c.dims(0), 2);
        byColumn(c, c.dims(1), 3);
    }

    static void qLinearMatMul(InferenceContext c) {
        List<Dim> product = product(c, c.dims(0), c.dims(3));
        c.set(0, c.element(7), product);
        byRow(c, c.dims(0), 1);
        byRow(c, c.dims(0), 2);
        byColumn(c, c.dims(3), 4);
        byColumn(c, c.dims(3), 5);
        byRow(c, product, 6);
        byRow(c, product, 7);
    }

    /** A scale or zero point of a left operand or of the result: one, one for each row, or one for each row of each matrix. */
    private static void byRow(InferenceContext c, @Nullable List<Dim> left, int input) {
        if (left != null && !left.isEmpty()) {
            Dim rows = left.size() == 1 ? Dims.ONE : left.get(left.size() - 2);
            Dim all = Dims.product(left.subList(0, left.size() - 1));
            OperandChecks.count(c, input, "a parameter for all rows or for each", Dims.ONE, rows, all);
        }
    }

    /** A scale or zero point of a right operand: one, one for each column, or one for each column of each matrix. */
    private static void byColumn(InferenceContext c, @Nullable List<Dim> right, int input) {
        if (right != null && !right.isEmpty()) {
            Dim columns = right.size() == 1 ? Dims.ONE : right.getLast();
            Dim all = Dims.mul(Dims.product(right.subList(0, Math.max(0, right.size() - 2))), columns);
            OperandChecks.count(c, input, "a parameter for all columns or for each", Dims.ONE, columns, all);
        }
    }

    /** The shape of numpy's {@code matmul}. */
    static @Nullable List<Dim> product(InferenceContext c, @Nullable List<Dim> a, @Nullable List<Dim> b) {
        if (a == null || b == null) {
            return null;
        }
        if (a.isEmpty() || b.isEmpty()) {
            throw c.refuse("shapes " + a + " and " + b + " have no product; a scalar is no matrix");
        }
        Dim inner = a.getLast();
        Dim otherInner = b.get(Math.max(0, b.size() - 2));
        if (Dims.differ(inner, otherInner)) {
            throw c.refuse("shapes " + a + " and " + b + " have no product; " + inner + " and " + otherInner
                    + " have to be equal");
        }
        List<Dim> stackA = a.subList(0, Math.max(0, a.size() - 2));
        List<Dim> stackB = b.subList(0, Math.max(0, b.size() - 2));
        List<Dim> stack = Dims.broadcast(stackA, stackB, c);
        if (stack == null) {
            return null;
        }
        var dims = new ArrayList<>(stack);
        if (a.size() > 1) {
            dims.add(a.get(a.size() - 2));
        }
        if (b.size() > 1) {
            dims.add(b.getLast());
        }
        return dims;
    }

    /** {@code dims} with the last two axes exchanged where {@code transposed}. */
    static @Nullable List<Dim> transposed(@Nullable List<Dim> dims, boolean transposed) {
        if (dims == null || !transposed || dims.size() < 2) {
            return dims;
        }
        var swapped = new ArrayList<>(dims);
        swapped.set(dims.size() - 2, dims.getLast());
        swapped.set(dims.size() - 1, dims.get(dims.size() - 2));
        return swapped;
    }

    static void gemm(InferenceContext c) {
        List<Dim> product = gemm(c, 1);
        if (c.opset() >= 7) {
            OperandChecks.broadcastsTo(c, 2, product);
        }
        c.set(0, c.element(0), product);
    }

    /** The shape of a Gemm whose second matrix is input {@code second}. */
    static List<Dim> gemm(InferenceContext c, int second) {
        List<Dim> a = transposed(c.dims(0, 2), c.attributes().flag("transA", false));
        List<Dim> b = transposed(c.dims(second, 2), c.attributes().flag("transB", false));
        if (a != null && b != null && Dims.differ(a.get(1), b.get(0))) {
            throw c.refuse("shapes " + a + " and " + b + " have no product; " + a.get(1) + " and " + b.get(0)
                    + " have to be equal");
        }
        return List.of(a == null ? Dim.UNKNOWN : a.get(0), b == null ? Dim.UNKNOWN : b.get(1));
    }

    static void det(InferenceContext c) {
        List<Dim> dims = c.dims(0, 2, Integer.MAX_VALUE);
        if (dims != null) {
            c.expect(0, dims.size() - 1, dims.get(dims.size() - 2));
        }
        c.set(0, c.element(0), dims == null ? null : dims.subList(0, dims.size() - 2));
    }
}
