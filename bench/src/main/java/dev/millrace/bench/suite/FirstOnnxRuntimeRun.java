package dev.millrace.bench.suite;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.millrace.bench.compare.ProcessMemory;
import dev.millrace.bench.compare.RawInputs;
import java.nio.file.Path;
import java.util.LinkedHashMap;

/** The counterpart of {@link FirstRun} for ONNX Runtime. */
final class FirstOnnxRuntimeRun {
    private FirstOnnxRuntimeRun() {}

    /**
     * @param arguments the model, the inputs, threads, sessions, runs of each, and symbolic
     *     extents that are set beforehand
     */
    public static void main(String[] arguments) throws Exception {
        var inputs = new LinkedHashMap<String, OnnxTensor>();
        var raws = RawInputs.read(Path.of(arguments[1]));
        int count = Integer.parseInt(arguments[3]);
        int runs = Integer.parseInt(arguments[4]);
        long start = System.nanoTime();
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        var sessions = new OrtSession[count];
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(Integer.parseInt(arguments[2]));
            options.addConfigEntry("session.force_spinning_stop", "1");
            for (int i = 5; i < arguments.length; i++) {
                String[] extent = arguments[i].split("=", 2);
                options.setSymbolicDimensionValue(extent[0], Long.parseLong(extent[1]));
            }
            sessions[0] = environment.createSession(arguments[0], options);
            long created = System.nanoTime();
            for (RawInputs.Raw raw : raws) {
                OnnxJavaType type = OnnxJavaType.valueOf(raw.type());
                inputs.put(raw.name(), OnnxTensor.createTensor(environment, raw.bytes(), raw.dims(), type));
            }
            sessions[0].run(inputs).close();
            long ran = System.nanoTime();
            System.out.println((created - start) + " " + (ran - created));
            for (int i = 1; i < count; i++) {
                sessions[i] = environment.createSession(arguments[0], options);
            }
            for (int run = 0; run < runs; run++) {
                for (OrtSession session : sessions) {
                    session.run(inputs).close();
                }
            }
            System.out.println(ProcessMemory.peakKib());
            for (OrtSession session : sessions) {
                session.close();
            }
        }
    }
}
