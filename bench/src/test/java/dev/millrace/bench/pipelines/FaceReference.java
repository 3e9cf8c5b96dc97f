package dev.millrace.bench.pipelines;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.millrace.onnxruntime.programs.PageReader;
import java.awt.image.BufferedImage;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Faces in a square image with BlazeFace, as a program over ONNX Runtime finds them: score, left, top, right, bottom. */
final class FaceReference {
    private FaceReference() {}

    static List<double[]> faces(Path model, BufferedImage image) throws OrtException {
        BufferedImage small = PageReader.resize(image, 128, 128);
        float[] pixels = new float[128 * 128 * 3];
        for (int i = 0; i < pixels.length; i++) {
            int rgb = small.getRGB(i / 3 % 128, i / 3 / 128);
            pixels[i] = (rgb >> 16 - 8 * (i % 3) & 255) / 127.5f - 1;
        }
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        var found = new ArrayList<double[]>();
        try (OrtSession session = environment.createSession(model.toString());
                OnnxTensor tensor =
                        OnnxTensor.createTensor(environment, FloatBuffer.wrap(pixels), new long[] {1, 128, 128, 3});
                OrtSession.Result result =
                        session.run(Map.of(session.getInputNames().iterator().next(), tensor))) {
            for (int cells : new int[] {16, 8}) {
                int perCell = cells == 16 ? 2 : 6;
                float[] logits = output(result, cells * cells * perCell);
                float[] boxes = output(result, cells * cells * perCell * 16);
                for (int i = 0; i < logits.length; i++) {
                    double score = 1 / (1 + Math.exp(-logits[i]));
                    if (score >= 0.5) {
                        double x = (i / perCell % cells + 0.5) * 128 / cells + boxes[i * 16];
                        double y = (i / perCell / cells + 0.5) * 128 / cells + boxes[i * 16 + 1];
                        double scale = image.getWidth() / 128.0;
                        double w = boxes[i * 16 + 2] / 2;
                        double h = boxes[i * 16 + 3] / 2;
                        found.add(
                                new double[] {score, (x - w) * scale, (y - h) * scale, (x + w) * scale, (y + h) * scale
                                });
                    }
                }
            }
        }
        return blended(found);
    }

    private static float[] output(OrtSession.Result result, int numbers) throws OrtException {
        for (var entry : result) {
            FloatBuffer buffer = ((OnnxTensor) entry.getValue()).getFloatBuffer();
            if (buffer.remaining() == numbers) {
                float[] values = new float[numbers];
                buffer.get(values);
                return values;
            }
        }
        throw new IllegalStateException("no output of " + numbers);
    }

    private static List<double[]> blended(List<double[]> found) {
        found.sort(Comparator.comparingDouble(face -> -face[0]));
        var kept = new ArrayList<double[]>();
        while (!found.isEmpty()) {
            double[] best = found.getFirst();
            double[] sum = new double[5];
            for (var each : List.copyOf(found)) {
                if (each == best || overlap(best, each) > 0.3) {
                    found.remove(each);
                    sum[0] += each[0];
                    for (int i = 1; i < 5; i++) {
                        sum[i] += each[0] * each[i];
                    }
                }
            }
            kept.add(new double[] {best[0], sum[1] / sum[0], sum[2] / sum[0], sum[3] / sum[0], sum[4] / sum[0]});
        }
        return kept;
    }

    private static double overlap(double[] a, double[] b) {
        double width = Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
        double height = Math.max(0, Math.min(a[4], b[4]) - Math.max(a[2], b[2]));
        double both = width * height;
        return both / ((a[3] - a[1]) * (a[4] - a[2]) + (b[3] - b[1]) * (b[4] - b[2]) - both);
    }
}
