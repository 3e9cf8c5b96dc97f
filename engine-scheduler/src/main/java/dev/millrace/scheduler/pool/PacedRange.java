package dev.millrace.scheduler.pool;

/**
 * Runs a range of items in pieces of some milliseconds and looks at cancellation between them. What an item costs nobody
 * knows beforehand: the first piece is a few grains, and each piece that was short makes the next one longer.
 */
final class PacedRange {
    private static final long FIRST_GRAINS = 4;
    private static final long GROWTH = 4;
    private static final long SHORT_NANOS = 2_000_000;
    private static final long LONG_NANOS = 10_000_000;

    private PacedRange() {}

    static void run(LoopBody body, long from, long to, long grain, Scratch scratch) {
        long piece = grown(grain, FIRST_GRAINS, to - from);
        if (piece >= to - from) {
            body.run(from, to, scratch);
            return;
        }
        long start = System.nanoTime();
        for (long at = from; at < to; at += piece) {
            if (at > from) {
                body.checkCancelled();
                long now = System.nanoTime();
                piece = next(piece, now - start, to - at);
                start = now;
            }
            body.run(at, Math.min(at + piece, to), scratch);
        }
    }

    private static long next(long piece, long took, long left) {
        if (took > LONG_NANOS) {
            return Math.max(1, Math.min(left, piece / GROWTH));
        }
        return took < SHORT_NANOS ? grown(piece, GROWTH, left) : Math.min(left, piece);
    }

    private static long grown(long piece, long factor, long most) {
        return piece > most / factor ? most : piece * factor;
    }
}
