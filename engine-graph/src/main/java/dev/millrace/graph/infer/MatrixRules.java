package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Products of matrices and stacks of them. */
final class MatrixRules {
    private MatrixRules() {}

    static void matMul(InferenceContext c) {
        c.set(0, c.element(0), product(c, c.dims(0), c.dims(1)));
    }

    static void matMulInteger(InferenceContext c) {
        c.set(0, ElementType.INT32, product(c, c.dims(0), c.dims(1)));
    }

    static void qLinearMatMul(InferenceContext c) {
        c.set(0, c.element(7), product(c, c.dims(0), c.dims(3)));
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
        c.set(0, c.element(0), gemm(c, 1));
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
