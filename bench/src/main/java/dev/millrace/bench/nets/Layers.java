package dev.millrace.bench.nets;

import dev.millrace.graph.ir.Value;

/** How a net's layers become nodes; the same calls in the same order make the same weights. */
interface Layers {
    /** Bounded activations are clipped to 0 and this. */
    float BOUND = 6;

    /**
     * A convolution of square windows, padded by half its window.
     *
     * @param depthwise whether each channel sees itself only
     * @param bounded whether its result is clipped to 0 and {@link #BOUND}
     */
    record Window(int in, int out, int extent, int stride, boolean depthwise, boolean bounded) {
        int group() {
            return depthwise ? in : 1;
        }

        int inPerGroup() {
            return in / group();
        }
    }

    Value image(String name, int channels, int extent);

    Value conv(Value x, Window window);

    Value add(Value a, Value b);

    /** The average of each channel: rows of channels. */
    Value average(Value x);

    Value dense(Value x, int in, int out);

    void output(String name, Value value);

    /** The file's bytes. */
    byte[] bytes();
}
