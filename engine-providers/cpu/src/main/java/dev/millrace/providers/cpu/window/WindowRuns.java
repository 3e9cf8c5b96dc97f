package dev.millrace.providers.cpu.window;

import dev.millrace.scheduler.kernel.LaunchContext;

/** Walks a window over an image in runs: one tap at a row of output positions, without what lies in the padding. */
final class WindowRuns {
    private WindowRuns() {}

    /** Takes one run. */
    @FunctionalInterface
    interface Run {
        /** Output positions {@code [position, position + count)} see the places {@code place}, {@code place + step}… */
        void take(int position, int count, int place, int step);
    }

    /** Every run of the window; those of one output position come in the order of the taps. */
    static void forEach(LaunchContext launch, Window window, Run run) {
        int last = window.axes() - 1;
        int width = window.out()[last];
        int inner = window.in()[last];
        int stride = window.strides()[last];
        int outRows = width == 0 ? 0 : window.outSize() / width;
        int columns = window.kernel()[last];
        int outerTaps = window.kernelSize() / columns;
        for (int row = 0; row < outRows; row++) {
            launch.checkCancelled();
            for (int outer = 0; outer < outerTaps; outer++) {
                int start = window.row(row, outer);
                for (int column = 0; column < columns && start >= 0; column++) {
                    int shift = column * window.dilations()[last] - window.padsBefore()[last];
                    int low = Math.clamp(Math.ceilDiv(-shift, stride), 0, width);
                    int high = Math.clamp(Math.floorDiv(inner - 1 - shift, stride) + 1, low, width);
                    if (high > low) {
                        run.take(row * width + low, high - low, start * inner + low * stride + shift, stride);
                    }
                }
            }
        }
    }
}
