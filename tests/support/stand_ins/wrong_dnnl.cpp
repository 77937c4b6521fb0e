// SPDX-License-Identifier: GPL-3.0-or-later
// Preloaded before oneDNN: every result has a wrong bit in its first element.
#include <dlfcn.h>
#include <dnnl.h>

extern "C" __attribute__((visibility("default"))) dnnl_status_t dnnl_primitive_execute(
    const_dnnl_primitive_t primitive, dnnl_stream_t stream, int count, const dnnl_exec_arg_t* arguments) {
    static const auto real =
        reinterpret_cast<decltype(&dnnl_primitive_execute)>(::dlsym(RTLD_NEXT, "dnnl_primitive_execute"));
    const dnnl_status_t status = real(primitive, stream, count, arguments);
    for (int index = 0; index < count; ++index)
        if (void* data = nullptr;
            arguments[index].arg == DNNL_ARG_DST &&
            dnnl_memory_get_data_handle(arguments[index].memory, &data) == dnnl_success && data != nullptr)
            static_cast<unsigned char*>(data)[1] ^= 0x40U;
    return status;
}
