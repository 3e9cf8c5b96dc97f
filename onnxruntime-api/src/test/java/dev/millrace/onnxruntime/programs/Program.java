package dev.millrace.onnxruntime.programs;

/** A program over ONNX Runtime's API that does the same again and again. */
@FunctionalInterface
interface Program extends AutoCloseable {
    /** Does it once, and returns all numbers of the answer. */
    float[] answer() throws Exception;

    @Override
    default void close() throws Exception {}

    /** The making of a program: models are read here. */
    @FunctionalInterface
    interface Maker {
        Program make() throws Exception;
    }
}
