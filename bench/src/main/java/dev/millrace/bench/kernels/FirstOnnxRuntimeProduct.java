package dev.millrace.bench.kernels;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;

/** A process of its own: opens a session of ONNX Runtime, multiplies, and prints how many nanoseconds that took from its start. */
final class FirstOnnxRuntimeProduct {
    private FirstOnnxRuntimeProduct() {}

    /** @param arguments the file of the model, and m, k and n */
    public static void main(String[] arguments) throws OrtException {
        long start = System.nanoTime();
        int m = Integer.parseInt(arguments[1]);
        int k = Integer.parseInt(arguments[2]);
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            ByteBuffer bytes = ByteBuffer.allocateDirect(4 * m * k).order(ByteOrder.nativeOrder());
            try (OrtSession session = environment.createSession(arguments[0], options);
                    OnnxTensor a = OnnxTensor.createTensor(environment, bytes.asFloatBuffer(), new long[] {m, k});
                    OrtSession.Result result = session.run(Map.of("a", a))) {
                result.get(0);
                System.out.println(System.nanoTime() - start);
            }
        }
    }
}
