package dev.millrace.bench.pipelines;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The scores of a wake word with openWakeWord's models, as a program over ONNX Runtime finds them. */
final class WakeReference implements AutoCloseable {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession mel;
    private final OrtSession embedding;
    private final OrtSession word;

    WakeReference(Path mel, Path embedding, Path word) throws OrtException {
        this.mel = environment.createSession(mel.toString());
        this.embedding = environment.createSession(embedding.toString());
        this.word = environment.createSession(word.toString());
    }

    private Object run(OrtSession session, Object input) throws OrtException {
        String name = session.getInputNames().iterator().next();
        try (OnnxTensor tensor = OnnxTensor.createTensor(environment, input);
                OrtSession.Result result = session.run(Map.of(name, tensor))) {
            return result.get(0).getValue();
        }
    }

    private float[][] mels(float[] samples) throws OrtException {
        float[] scaled = new float[samples.length];
        for (int i = 0; i < samples.length; i++) {
            scaled[i] = samples[i] * 32768;
        }
        float[][] frames = ((float[][][][]) run(mel, new float[][] {scaled}))[0][0];
        for (float[] frame : frames) {
            for (int i = 0; i < frame.length; i++) {
                frame[i] = frame[i] / 10 + 2;
            }
        }
        return frames;
    }

    private float[] embedded(ArrayDeque<float[]> window) throws OrtException {
        float[][][][] input = new float[1][76][32][1];
        int row = 0;
        for (float[] frame : window) {
            for (int bin = 0; bin < 32; bin++) {
                input[0][row][bin][0] = frame[bin];
            }
            row++;
        }
        return ((float[][][][]) run(embedding, input))[0][0][0];
    }

    /** Returns the score behind each 1280 samples of a sound that begins after silence. */
    List<Double> scores(float[] samples) throws OrtException {
        float[] silence = mels(new float[1760])[7];
        var frames = new ArrayDeque<float[]>();
        for (int i = 0; i < 76; i++) {
            frames.add(silence);
        }
        float[] quiet = embedded(frames);
        var features = new ArrayDeque<float[]>();
        for (int i = 0; i < 16; i++) {
            features.add(quiet);
        }
        var scores = new ArrayList<Double>();
        for (int at = 0; at + 1280 <= samples.length; at += 1280) {
            float[] chunk = new float[1760];
            int from = Math.max(0, at - 480);
            System.arraycopy(samples, from, chunk, 1760 - (at + 1280 - from), at + 1280 - from);
            for (float[] frame : Arrays.copyOfRange(mels(chunk), 0, 8)) {
                frames.add(frame);
                frames.remove();
            }
            features.add(embedded(frames));
            features.remove();
            float[][] seen = features.toArray(float[][]::new);
            scores.add((double) ((float[][]) run(word, new float[][][] {seen}))[0][0]);
        }
        return scores;
    }

    @Override
    public void close() throws OrtException {
        mel.close();
        embedding.close();
        word.close();
    }
}
