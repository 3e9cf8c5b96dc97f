package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.Parallel;
import java.lang.ref.Reference;

/** A product on memory that stays where it is, run again and again by one caller at a time. A run allocates nothing. */
public final class BoundGemm {
    private final GemmRun run;
    private final GemmProduct product;

    BoundGemm(GemmRun run, GemmProduct product) {
        this.run = run;
        this.product = product;
    }

    /** Computes the product. No operand may be freed before it is done. */
    public void run(Parallel parallel) {
        try {
            run.run(parallel);
        } finally {
            Reference.reachabilityFence(product);
        }
    }
}
