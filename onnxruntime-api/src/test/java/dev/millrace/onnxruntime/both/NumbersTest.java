package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxMap.OnnxMapValueType;
import ai.onnxruntime.OnnxSparseTensor.SparseTensorType;
import ai.onnxruntime.OnnxValue.OnnxValueType;
import ai.onnxruntime.OrtEnvironment.OrtCompiledModelCompatibility;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtFlags;
import ai.onnxruntime.OrtHardwareDevice.OrtHardwareDeviceType;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtModelCompilationOptions.OrtCompileApiFlags;
import ai.onnxruntime.OrtProvider;
import ai.onnxruntime.OrtSession.SessionOptions.ExecutionMode;
import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import ai.onnxruntime.TensorInfo.OnnxTensorType;
import ai.onnxruntime.providers.CoreMLFlags;
import ai.onnxruntime.providers.NNAPIFlags;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The numbers and names of enumerations, which programs store and compare. */
@Tag("reference")
class NumbersTest {
    private static String mapped(int from, int to, IntFunction<?> mapping) {
        return IntStream.range(from, to).mapToObj(mapping).map(String::valueOf).reduce("", (a, b) -> a + " " + b);
    }

    @Test
    void typesOfJavaHaveNumbers() {
        assertThat(mapped(-1, 13, OnnxJavaType::mapFromInt))
                .isEqualTo(" UNKNOWN UNKNOWN FLOAT DOUBLE INT8 INT16 INT32 INT64 BOOL STRING UINT8 FLOAT16 BFLOAT16"
                        + " UNKNOWN");
        assertThat(Arrays.stream(OnnxJavaType.values()).mapToInt(type -> type.size))
                .containsExactly(4, 8, 1, 2, 4, 8, 1, 4, 1, 2, 2, 0);
        assertThat(OnnxJavaType.FLOAT16.clazz).isEqualTo(short.class);
        assertThat(OnnxJavaType.STRING.clazz).isEqualTo(String.class);
        assertThat(OnnxJavaType.UNKNOWN.clazz).isEqualTo(Object.class);
    }

    @Test
    void classesHaveTypes() {
        Class<?>[] classes = {
            float.class, Float.class, double.class, Double.class, byte.class, Byte.class, short.class, Short.class,
            int.class, Integer.class, long.class, Long.class, boolean.class, Boolean.class, String.class, char.class
        };
        assertThat(Arrays.stream(classes).map(OnnxJavaType::mapFromClass).map(String::valueOf))
                .containsExactly(
                        "FLOAT", "FLOAT", "DOUBLE", "DOUBLE", "INT8", "INT8", "INT16", "INT16", "INT32", "INT32",
                        "INT64", "INT64", "BOOL", "BOOL", "STRING", "UNKNOWN");
    }

    @Test
    void typesOfOnnxHaveNumbers() {
        for (OnnxTensorType type : OnnxTensorType.values()) {
            assertThat(OnnxTensorType.mapFromInt(type.value)).isEqualTo(type);
            assertThat(type.value).isEqualTo(type.ordinal());
        }
        assertThat(OnnxTensorType.mapFromInt(-1)).isEqualTo(OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
        assertThat(OnnxTensorType.mapFromInt(99)).isEqualTo(OnnxTensorType.ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
        assertThat(Arrays.stream(OnnxTensorType.values())
                        .map(OnnxJavaType::mapFromOnnxTensorType)
                        .map(String::valueOf))
                .containsExactly(
                        "UNKNOWN",
                        "UINT8",
                        "INT8",
                        "INT16",
                        "INT16",
                        "INT32",
                        "INT32",
                        "INT64",
                        "INT64",
                        "FLOAT16",
                        "FLOAT",
                        "DOUBLE",
                        "STRING",
                        "BOOL",
                        "UNKNOWN",
                        "UNKNOWN",
                        "BFLOAT16",
                        "UNKNOWN",
                        "UNKNOWN",
                        "UNKNOWN",
                        "UNKNOWN");
        for (OnnxJavaType type : EnumSet.complementOf(EnumSet.of(OnnxJavaType.UNKNOWN))) {
            assertThat(OnnxTensorType.mapFromJavaType(type).name())
                    .isEqualTo("ONNX_TENSOR_ELEMENT_DATA_TYPE_" + type.name());
        }
    }

    @Test
    void errorsHaveNumbers() {
        for (OrtErrorCode code : OrtErrorCode.values()) {
            assertThat(OrtErrorCode.mapFromInt(code.ordinal() - 1)).isEqualTo(code);
        }
        assertThat(OrtErrorCode.mapFromInt(16)).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        assertThat(OrtErrorCode.mapFromInt(-2)).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
    }

    @Test
    void exceptionsHaveCodes() {
        assertThat(new OrtException("text")).hasMessage("text");
        assertThat(new OrtException("text").getCode()).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        assertThat(new OrtException(1, "text").getCode()).isEqualTo(OrtErrorCode.ORT_FAIL);
        assertThat(new OrtException(1, "text")).hasMessage("Error code - ORT_FAIL - message: text");
        assertThat(new OrtException(99, "text").getCode()).isEqualTo(OrtErrorCode.ORT_JAVA_UNKNOWN);
        assertThat(new OrtException(OrtErrorCode.ORT_EP_FAIL, "text"))
                .hasMessage("Error code - ORT_EP_FAIL - message: text");
    }

    @Test
    void kindsHaveNumbers() {
        assertThat(Arrays.stream(OnnxValueType.values()).mapToInt(type -> type.value))
                .containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(mapped(-1, 6, SparseTensorType::mapFromInt))
                .isEqualTo(" UNDEFINED UNDEFINED COO CSRC UNDEFINED BLOCK_SPARSE UNDEFINED");
        assertThat(mapped(-1, 6, OnnxMapValueType::mapFromInt))
                .isEqualTo(" INVALID INVALID STRING LONG FLOAT DOUBLE INVALID");
        assertThat(Arrays.stream(OnnxJavaType.values())
                        .map(OnnxMapValueType::mapFromOnnxJavaType)
                        .filter(type -> type != OnnxMapValueType.INVALID)
                        .map(String::valueOf))
                .containsExactly("FLOAT", "DOUBLE", "LONG", "STRING");
        assertThat(mapped(-1, 5, OrtCompiledModelCompatibility::mapFromInt))
                .isEqualTo(" EP_UNSUPPORTED EP_NOT_APPLICABLE EP_SUPPORTED_OPTIMAL EP_SUPPORTED_PREFER_RECOMPILATION"
                        + " EP_UNSUPPORTED EP_UNSUPPORTED");
        assertThat(mapped(-1, 4, OrtHardwareDeviceType::mapFromInt)).isEqualTo(" CPU CPU GPU NPU CPU");
        assertThat(mapped(-1, 6, i -> OrtLoggingLevel.mapFromInt(i).getValue())).isEqualTo(" 0 0 1 2 3 4 0");
    }

    @Test
    void levelsAndModesHaveNumbers() {
        assertThat(Arrays.stream(OptLevel.values()).mapToInt(OptLevel::getID)).containsExactly(0, 1, 2, 3, 99);
        assertThat(Arrays.stream(ExecutionMode.values()).mapToInt(ExecutionMode::getID))
                .containsExactly(0, 1);
    }

    @Test
    void flagsAreBits() {
        assertThat(Arrays.stream(CoreMLFlags.values()).mapToInt(CoreMLFlags::getValue))
                .containsExactly(1, 2, 4, 8, 16, 32);
        assertThat(Arrays.stream(NNAPIFlags.values()).mapToInt(NNAPIFlags::getValue))
                .containsExactly(1, 2, 4, 8);
        assertThat(Arrays.stream(OrtCompileApiFlags.values()).mapToInt(OrtCompileApiFlags::getValue))
                .containsExactly(0, 1, 2);
        assertThat(OrtFlags.aggregateToInt(EnumSet.allOf(CoreMLFlags.class))).isEqualTo(63);
        assertThat(OrtFlags.aggregateToInt(EnumSet.noneOf(NNAPIFlags.class))).isZero();
    }

    @Test
    void providersHaveNames() {
        for (OrtProvider provider : OrtProvider.values()) {
            assertThat(OrtProvider.mapFromName(provider.getName())).isEqualTo(provider);
            assertThat(provider.getName()).endsWith("ExecutionProvider");
        }
        assertThat(OrtProvider.CUDA.getName()).isEqualTo("CUDAExecutionProvider");
        assertThat(OrtProvider.TENSOR_RT.getName()).isEqualTo("TensorrtExecutionProvider");
        assertThat(OrtProvider.OPEN_VINO.getName()).isEqualTo("OpenVINOExecutionProvider");
        assertThat(OrtProvider.DIRECT_ML.getName()).isEqualTo("DmlExecutionProvider");
        assertThatThrownBy(() -> OrtProvider.mapFromName("none")).isInstanceOf(IllegalArgumentException.class);
    }
}
