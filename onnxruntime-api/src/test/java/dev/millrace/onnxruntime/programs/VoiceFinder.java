package dev.millrace.onnxruntime.programs;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Speech in a sound of 16 kHz with Silero's model, as a program over ONNX Runtime's API and plain Java finds it. */
public final class VoiceFinder {
    private VoiceFinder() {}

    public static List<int[]> segments(Path model, float[] samples) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        var segments = new ArrayList<int[]>();
        try (OrtSession session = environment.createSession(model.toString());
                OnnxTensor rate = OnnxTensor.createTensor(environment, 16000L)) {
            float[][][] state = new float[2][1][128];
            float[] frame = new float[64 + 512];
            int start = -1;
            int quiet = -1;
            for (int at = 0; at < samples.length; at += 512) {
                System.arraycopy(frame, 512, frame, 0, 64);
                Arrays.fill(frame, 64, 576, 0);
                System.arraycopy(samples, at, frame, 64, Math.min(512, samples.length - at));
                float probability;
                try (OnnxTensor input = OnnxTensor.createTensor(environment, new float[][] {frame});
                        OnnxTensor before = OnnxTensor.createTensor(environment, state);
                        OrtSession.Result result = session.run(Map.of("input", input, "state", before, "sr", rate))) {
                    probability =
                            ((float[][]) result.get("output").orElseThrow().getValue())[0][0];
                    state = (float[][][]) result.get("stateN").orElseThrow().getValue();
                }
                if (probability >= 0.5f) {
                    quiet = -1;
                    start = start < 0 ? at : start;
                } else if (start >= 0 && probability < 0.35f) {
                    quiet = quiet < 0 ? at : quiet;
                    if (at - quiet >= 1600) {
                        if (quiet - start > 4000) {
                            segments.add(new int[] {Math.max(0, start - 480), quiet + 480});
                        }
                        start = -1;
                        quiet = -1;
                    }
                }
            }
            if (start >= 0 && samples.length - start > 4000) {
                segments.add(new int[] {Math.max(0, start - 480), samples.length});
            }
        }
        return segments;
    }
}
