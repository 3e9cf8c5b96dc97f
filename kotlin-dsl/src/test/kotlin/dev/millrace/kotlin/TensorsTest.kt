package dev.millrace.kotlin

import dev.millrace.graph.EngineException
import dev.millrace.graph.tensor.ElementType
import dev.millrace.graph.tensor.Shape
import dev.millrace.graph.tensor.Tensor
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

@OptIn(ExperimentalUnsignedTypes::class)
class TensorsTest {
    private fun of(
        type: ElementType,
        vararg dims: Long,
    ): (Tensor) -> Unit =
        {
            assertThat(it.type()).isEqualTo(type)
            assertThat(it.shape()).isEqualTo(Shape.of(*dims))
        }

    @Test
    fun `extents are Ints or Longs, of arrays of every kind`() {
        val rows = 2
        assertThat(FloatArray(6).toTensor(rows, 3)).satisfies(of(ElementType.FLOAT, 2, 3))
        assertThat(DoubleArray(6).toTensor(rows, 3)).satisfies(of(ElementType.DOUBLE, 2, 3))
        assertThat(LongArray(6).toTensor(rows, 3)).satisfies(of(ElementType.INT64, 2, 3))
        assertThat(IntArray(6).toTensor(rows, 3)).satisfies(of(ElementType.INT32, 2, 3))
        assertThat(ShortArray(6).toTensor(rows, 3)).satisfies(of(ElementType.INT16, 2, 3))
        assertThat(ByteArray(6).toTensor(rows, 3)).satisfies(of(ElementType.INT8, 2, 3))
        assertThat(UByteArray(6).toTensor(rows, 3)).satisfies(of(ElementType.UINT8, 2, 3))
        assertThat(BooleanArray(6).toTensor(rows, 3)).satisfies(of(ElementType.BOOL, 2, 3))
        assertThat(Array(6) { "" }.toTensor(rows, 3)).satisfies(of(ElementType.STRING, 2, 3))
        assertThat(FloatArray(6).toTensor(2L, 3L)).satisfies(of(ElementType.FLOAT, 2, 3))
        assertThat(ShortArray(6).toTensor()).satisfies(of(ElementType.INT16, 6))
        assertThat(UByteArray(6).toTensor(6L)).satisfies(of(ElementType.UINT8, 6))
    }

    @Test
    fun `shorts and unsigned bytes keep their values`() {
        assertThat(shortArrayOf(-2, 300).toTensor().longs()).containsExactly(-2, 300)
        assertThat(ubyteArrayOf(0u, 200u, 255u).toTensor(3).longs()).containsExactly(0, 200, 255)
        assertThatThrownBy { shortArrayOf(1, 2).toTensor(3) }
            .isInstanceOf(EngineException::class.java)
            .hasMessage("2 values do not fill shape [3]")
        assertThatThrownBy { ubyteArrayOf(1u, 2u).toTensor(2, 2) }
            .isInstanceOf(EngineException::class.java)
    }

    @Test
    fun `inputs are built one after the other`() {
        val state: Tensor? = null
        val samples = floatArrayOf(1f, 2f, 3f, 4f)
        val given =
            inputs {
                "sr" of 16000L
                "words" of arrayOf("a", "b")
                floats("input", 1, 4) { samples[it] }
                longs("ids", 2, 2) { it * 10L }
                if (state != null) "state" of state
                "sr" of 8000L
            }
        assertThat(given.asMap().keys).containsExactly("sr", "words", "input", "ids")
        assertThat((given.input("sr") as Tensor).longs()).containsExactly(8000)
        assertThat(given.input("input") as Tensor).satisfies(of(ElementType.FLOAT, 1, 4))
        assertThat((given.input("input") as Tensor).floats()).containsExactly(1f, 2f, 3f, 4f)
        assertThat((given.input("ids") as Tensor)[1, 1]).isEqualTo(30.0)
    }

    @Test
    fun `an input that is too large for an array is refused`() {
        assertThatThrownBy { inputs { floats("x", 1 shl 20, 1 shl 20) { 0f } } }
            .isInstanceOf(EngineException::class.java)
            .hasMessage("an input of shape [1048576, 1048576] does not fit an array")
    }

    @Test
    fun `values are read by their type`() {
        assertThat(
            floatArrayOf(1f, 2f).toTensor(1, 2).value<Array<FloatArray>>(),
        ).isDeepEqualTo(arrayOf(floatArrayOf(1f, 2f)))
        assertThat(floatArrayOf(1f, 2f).toTensor().value<FloatArray>()).containsExactly(1f, 2f)
        assertThat(floatArrayOf(0.5f).toTensor(1, 1).value<Float>()).isEqualTo(0.5f)
        assertThat(doubleArrayOf(0.5).toTensor().value<Double>()).isEqualTo(0.5)
        assertThat(Tensor.scalar(7L).value<Long>()).isEqualTo(7L)
        assertThat(intArrayOf(7).toTensor().value<Int>()).isEqualTo(7)
        assertThat(Tensor.scalar(true).value<Boolean>()).isTrue()
        assertThat(arrayOf("yes").toTensor().value<String>()).isEqualTo("yes")
        assertThatThrownBy { floatArrayOf(1f, 2f).toTensor().value<Float>() }
            .isInstanceOf(EngineException::class.java)
            .hasMessageContaining("2 elements, not one")
        assertThatThrownBy { Tensor.scalar(1f).value<Long>() }
            .isInstanceOf(EngineException::class.java)
            .hasMessageContaining("is a Float, no Long")
    }

    @Test
    fun `numbers are found by indices of either kind`() {
        val tensor = floatArrayOf(1f, 2f, 3f, 4f).toTensor(2, 2)
        val last = 1
        assertThat(tensor[last, last]).isEqualTo(4.0)
        assertThat(tensor[1L, 0L]).isEqualTo(3.0)
    }
}
