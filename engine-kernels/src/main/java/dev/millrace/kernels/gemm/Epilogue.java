package dev.millrace.kernels.gemm;

/**
 * What follows the sums of a product.
 *
 * @param bias whether a number per column is added
 * @param activation what is done after that
 */
public record Epilogue(boolean bias, Activation activation) {
    public static final Epilogue NONE = new Epilogue(false, Activation.NONE);
}
