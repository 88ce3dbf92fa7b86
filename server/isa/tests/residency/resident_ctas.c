// Prints how many CTAs a multiprocessor holds, by NVIDIA's occupancy calculator. `resident_ctas.tsv` is its output:
//
//     cc -I <include folder of the CUDA toolkit 13.5> resident_ctas.c -o resident_ctas && ./resident_ctas > resident_ctas.tsv
#include <stdio.h>
#include <string.h>
#include <limits.h>
#include <cuda_occupancy.h>

// The properties of devices, from the table of compute capabilities in the CUDA programming guide: chip, threads and shared memory of a
// multiprocessor, shared memory of a block and what the system reserves of it, in KB.
static const int DEVICES[][5] = {
    {52, 2048, 96, 48, 0},  {60, 2048, 64, 48, 0},   {70, 2048, 96, 96, 0},   {75, 1024, 64, 64, 0},
    {80, 2048, 164, 163, 1}, {86, 1536, 100, 99, 1},  {89, 1536, 100, 99, 1},  {90, 2048, 228, 227, 1},
    {100, 2048, 228, 227, 1}, {120, 1536, 100, 99, 1},
};
static const int THREADS[] = {1, 32, 96, 128, 256, 384, 640, 1024};
static const int REGISTERS[] = {16, 32, 40, 64, 72, 128, 168, 255};
static const int SHARED[] = {0, 1, 1024, 5000, 16384, 33000, 48 * 1024};

int main(void) {
    printf("chip\tthreads\tregisters\tshared\tctas\n");
    for (unsigned d = 0; d < sizeof DEVICES / sizeof *DEVICES; d++) {
        const int *device = DEVICES[d];
        cudaOccDeviceProp prop;
        memset(&prop, 0, sizeof prop);
        prop.computeMajor = device[0] / 10;
        prop.computeMinor = device[0] % 10;
        prop.maxThreadsPerBlock = 1024;
        prop.maxThreadsPerMultiprocessor = device[1];
        prop.regsPerBlock = prop.regsPerMultiprocessor = 65536;
        prop.warpSize = 32;
        prop.sharedMemPerBlock = 48 << 10;
        prop.sharedMemPerMultiprocessor = (size_t)device[2] << 10;
        prop.sharedMemPerBlockOptin = (size_t)device[3] << 10;
        prop.reservedSharedMemPerBlock = (size_t)device[4] << 10;
        prop.numSms = 1;
        // A sample of all combinations, with each value in several.
        for (unsigned n = 0; n < 24; n++) {
            int threads = THREADS[n % 8], registers = REGISTERS[(n * 3 + d) % 8], shared = SHARED[(n * 5 + d) % 7];
            if (n % 6 == 5) shared = device[3] << 10 >> n / 12;
            cudaOccFuncAttributes kernel;
            memset(&kernel, 0, sizeof kernel);
            kernel.maxThreadsPerBlock = INT_MAX;
            kernel.numRegs = registers;
            kernel.sharedSizeBytes = shared <= 48 << 10 ? shared : 0;
            kernel.maxDynamicSharedSizeBytes = shared - kernel.sharedSizeBytes;
            kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            cudaOccDeviceState state;
            memset(&state, 0, sizeof state);
            state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
            cudaOccResult result;
            size_t dynamic = shared - kernel.sharedSizeBytes;
            if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &prop, &kernel, &state, threads, dynamic) == CUDA_OCC_SUCCESS)
                printf("%d\t%d\t%d\t%d\t%d\n", device[0], threads, registers, shared, result.activeBlocksPerMultiprocessor);
        }
    }
    return 0;
}
