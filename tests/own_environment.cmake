# SPDX-License-Identifier: GPL-3.0-or-later
# ctest reads this before it starts a test (TEST_INCLUDE_FILES): tests begin with an environment of their own, whoever starts them
# and wherever. What a test needs it sets by itself (ENVIRONMENT, ENVIRONMENT_MODIFICATION, tests/support/process.h).
# OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE stay: machines set them because OpenBLAS computes wrong or crashes without.
set(of_others
    "MESHREEL_|XDG_|LC_|LANG$|LANGUAGE$|QT_|VK_|MESA_|HF_|HUGGINGFACE_|COMFYUI_PATH$|OMP_|GOMP_|DNNL_|ONEDNN_"
    "|OMPI_|PMIX_|PRTE_|SLURM_|PBS_|https?_proxy$|HTTPS?_PROXY$|all_proxy$|ALL_PROXY$")
list(JOIN of_others "" of_others)
# What docs/testing.md tells people to give to tests.
set(for_tests "MESHREEL_(MONKEY_EVENTS|MONKEY_SEED|QUEUE_RUNS|TEST_GPU|UPDATE_DOCS)$")

execute_process(COMMAND env OUTPUT_VARIABLE environment)
string(REGEX MATCHALL "(^|\n)[A-Za-z_][A-Za-z0-9_]*=" names "${environment}")
foreach(name IN LISTS names)
    string(REGEX REPLACE "[\n=]" "" name "${name}")
    if(name MATCHES "^(${of_others})" AND NOT name MATCHES "^${for_tests}")
        unset(ENV{${name}})
    endif()
endforeach()
set(ENV{LC_ALL} C.UTF-8)
