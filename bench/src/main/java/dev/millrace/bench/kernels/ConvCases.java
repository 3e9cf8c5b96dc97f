package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.ConvNet.Image;
import dev.millrace.bench.kernels.ConvNet.Layer;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Cases of layers of image models. Layers that keep the shape of their images are measured in a chain, and so are pairs
 * that widen and narrow again; others as branches from one image, each averaged at its end. Both sides reorder images
 * into their own layout at the start of each net, and back at its end.
 */
final class ConvCases {
    private static final int CHAIN = 6;
    private static final int BRANCHES = 4;
    private static final double TOLERANCE = 2e-3;
    private static final String STRICT = ".strict";

    private ConvCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (String name : List.of("conv", "conv" + STRICT)) {
            cases.add(chain(name, Layer.of(64, 64, 56, 3, 1)));
            cases.add(chain(name, Layer.of(128, 128, 28, 3, 1)));
            cases.add(chain(name, Layer.of(256, 256, 14, 3, 1)));
            cases.add(chain(name, Layer.of(512, 512, 7, 3, 1)));
        }
        cases.add(branches(Layer.of(64, 128, 56, 3, 2)));
        cases.add(branches(Layer.of(256, 512, 14, 3, 2)));
        cases.add(branches(Layer.of(3, 64, 224, 7, 2)));
        cases.add(branches(Layer.of(3, 32, 224, 3, 2)));
        cases.add(pairs(Layer.of(64, 256, 56, 1, 1)));
        cases.add(pairs(Layer.of(512, 128, 28, 1, 1)));
        cases.add(pairs(Layer.of(1024, 256, 14, 1, 1)));
        cases.add(pairs(Layer.of(2048, 512, 7, 1, 1)));
        cases.add(branches(Layer.of(256, 512, 56, 1, 2)));
        cases.add(pairs(Layer.of(16, 96, 56, 1, 1)));
        cases.add(pairs(Layer.of(24, 144, 56, 1, 1)));
        cases.add(pairs(Layer.of(96, 24, 28, 1, 1)));
        cases.add(chain(Layer.depthwise(16, 112, 3, 1)));
        cases.add(chain(Layer.depthwise(144, 56, 3, 1)));
        cases.add(branches(Layer.depthwise(96, 112, 3, 2)));
        cases.add(chain(Layer.depthwise(240, 14, 5, 1)));
        cases.add(chain(Layer.depthwise(576, 7, 5, 1)));
        cases.add(halving(64, 112));
        cases.add(chain("max 3x3", 192, 35, (net, image) -> net.maxPool(image, 3, 1, 1, 1)));
        cases.add(chain("average 3x3", 192, 35, ConvNet::averagePool));
        cases.add(global("average", 2048, 7, ConvNet::globalAverage));
        cases.add(global("max", 2048, 7, ConvNet::globalMax));
        return cases;
    }

    private static String text(Layer layer) {
        String channels = layer.depthwise() || layer.channels() == layer.outChannels()
                ? String.valueOf(layer.channels())
                : layer.channels() + ">" + layer.outChannels();
        String stride = layer.stride() == 1 ? "" : "s" + layer.stride();
        return layer.kernel() + "x" + layer.kernel() + stride + " " + channels + " " + layer.size() + "^2";
    }

    private static String name(Layer layer) {
        return layer.depthwise() ? "conv.depthwise" : "conv";
    }

    /** Adds layers to a net. */
    private interface Writer {
        void write(ConvNet net);
    }

    private static KernelCase of(String name, String shape, LayerWork work, int layers, Writer writer) {
        KernelCase.Opener opener = (Kernels kernels, Arena arena, Parallel parallel) -> {
            var net = new ConvNet(kernels, arena, parallel, name.endsWith(STRICT));
            writer.write(net);
            return net.sides();
        };
        return KernelCase.of(name, shape, work, opener).withLayers(layers).withTolerance(TOLERANCE);
    }

    private static Image next(ConvNet net, Image image, Layer layer) {
        Image out = net.layer(image, layer);
        net.release(image);
        return out;
    }

    private static KernelCase chain(Layer layer) {
        return chain(name(layer), layer);
    }

    private static KernelCase chain(String name, Layer layer) {
        return of(name, text(layer), LayerWork.flops(layer.flops()), CHAIN, net -> {
            Image image = net.toBlocks(net.input(layer.channels(), layer.size()));
            for (int i = 0; i < CHAIN; i++) {
                image = next(net, image, layer);
            }
            net.output(image);
        });
    }

    /** Returns the case of alternating a layer and the one that undoes its change of channels. */
    private static KernelCase pairs(Layer layer) {
        Layer back = Layer.of(layer.outChannels(), layer.channels(), layer.size(), layer.kernel(), 1);
        String shape = text(layer) + " and back";
        return of(name(layer), shape, LayerWork.flops(layer.flops()), CHAIN, net -> {
            Image image = net.toBlocks(net.input(layer.channels(), layer.size()));
            for (int i = 0; i < CHAIN; i += 2) {
                image = next(net, next(net, image, layer), back);
            }
            net.output(image);
        });
    }

    private static KernelCase branches(Layer layer) {
        return of(name(layer), text(layer), LayerWork.flops(layer.flops()), BRANCHES, net -> {
            Image plain = net.input(layer.channels(), layer.size());
            Image image = layer.channels() < 4 ? plain : net.toBlocks(plain);
            for (int i = 0; i < BRANCHES; i++) {
                Image out = net.layer(image, layer);
                net.output(net.globalAverage(out));
                net.release(out);
            }
        });
    }

    /** A pooling of an image. */
    private interface Pooling {
        Image of(ConvNet net, Image image);
    }

    /** Returns the image behind a convolution, so that it is in the layout of each side. */
    private static Image poolable(ConvNet net, int channels, int size) {
        return net.layer(net.toBlocks(net.input(channels, size)), Layer.depthwise(channels, size, 1, 1));
    }

    /**
     * Returns the case of max pooling by 3×3 windows with stride 2. The padding behind an image of
     * even size does not change the result.
     */
    private static KernelCase halving(int channels, int size) {
        double bytes = 4.0 * channels * size * size * 1.25;
        String shape = "max 3x3s2 %d %d^2".formatted(channels, size);
        return of("pool", shape, LayerWork.bytes(bytes), BRANCHES, net -> {
            Image image = poolable(net, channels, size);
            for (int i = 0; i < BRANCHES; i++) {
                Image out = net.maxPool(image, 3, 2, i / 2, i % 2);
                net.output(net.globalAverage(out));
                net.release(out);
            }
        });
    }

    private static KernelCase chain(String kind, int channels, int size, Pooling pooling) {
        double bytes = 8.0 * channels * size * size;
        String shape = "%s %d %d^2".formatted(kind, channels, size);
        return of("pool", shape, LayerWork.bytes(bytes), CHAIN, net -> {
            Image image = poolable(net, channels, size);
            for (int i = 0; i < CHAIN; i++) {
                Image out = pooling.of(net, image);
                net.release(image);
                image = out;
            }
            net.output(image);
        });
    }

    private static KernelCase global(String kind, int channels, int size, Pooling pooling) {
        String shape = "global %s %d %d^2".formatted(kind, channels, size);
        return of("pool", shape, LayerWork.bytes(4.0 * channels * size * size), 1, net -> {
            net.output(pooling.of(net, poolable(net, channels, size)));
        });
    }
}
