package dev.millrace.providers.spi;

/** The order of the axes of images. */
public enum DataLayout {
    NCHW,
    NHWC
}
